/*
 * Random typed values through archive_sql(). A statement that is not marked failed must match this
 * grammar, and hold nothing else:
 *
 *     SELECT c FROM t WHERE TIME >= instant AND TIME < instant
 *         [AND station = id | AND station IN (ids) | [AND station >[=] id] [AND station <[=] id]]
 *         [AND position] [AND key LIKE pattern] [AND value >= float] [AND n = int]
 *         ORDER BY ... [LIMIT digits]
 */
#include "fuzz.h"

#include "obstream/query/archive.h"
#include "obstream/query/sql.h"

#include <stdbool.h>

enum { IDS = 6 };

struct parser {
    const char *at, *time, *station;
    bool day;
};

static bool skip(struct parser *p, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* `d` in the picture is a digit, anything else is itself. */
static bool picture(struct parser *p, const char *form)
{
    const char *s = p->at;
    for (; *form != '\0'; form++, s++) {
        if (*form == 'd' ? *s < '0' || *s > '9' : *s != *form)
            return false;
    }
    p->at = s;
    return true;
}

static bool instant(struct parser *p)
{
    return p->day ? skip(p, "DATE ") && picture(p, "'dddd-dd-dd'")
                  : skip(p, "TIMESTAMPTZ ") && picture(p, "'dddd-dd-dd dd:dd:dd.dddddd+00'");
}

static bool quoted(struct parser *p, const char *also, size_t most)
{
    static const char alnum[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char alphabet[128];
    snprintf(alphabet, sizeof(alphabet), "%s%s", alnum, also);
    if (!skip(p, "'"))
        return false;
    size_t n = strspn(p->at, alphabet);
    p->at += n;
    return n >= 1 && n <= most && skip(p, "'");
}

static bool id(struct parser *p)
{
    return quoted(p, " _-.:+/#@", 64);
}

static bool ids(struct parser *p)
{
    do {
        if (!id(p))
            return false;
    } while (skip(p, ", "));
    return skip(p, ")");
}

static bool column(struct parser *p, const char *name, bool station)
{
    return skip(p, name) && (!station || skip(p, " COLLATE \"C\"") || true);
}

static bool station(struct parser *p)
{
    return column(p, p->station, true);
}

static bool time_column(struct parser *p)
{
    return column(p, p->time, false);
}

static bool stations(struct parser *p)
{
    struct parser before = *p;
    if (skip(p, " AND ") && skip(p, p->station) && skip(p, " = "))
        return id(p);
    *p = before;
    if (skip(p, " AND ") && skip(p, p->station) && skip(p, " IN ("))
        return ids(p);
    *p = before;
    if (skip(p, " AND ") && station(p) && (skip(p, " >= ") || skip(p, " > ")) && id(p))
        before = *p;
    *p = before;
    if (!(skip(p, " AND ") && station(p) && (skip(p, " <= ") || skip(p, " < ")) && id(p)))
        *p = before;
    return true;
}

static bool position(struct parser *p)
{
    struct parser before = *p;
    if (!skip(p, " AND ("))
        return true;
    struct parser open = *p;
    if (station(p) && skip(p, ", ") && time_column(p))
        return skip(p, ") > (") && id(p) && skip(p, ", ") && instant(p) && skip(p, ")");
    *p = open;
    if (time_column(p) && skip(p, ", ") && station(p))
        return skip(p, ") > (") && instant(p) && skip(p, ", ") && id(p) && skip(p, ")");
    *p = open;
    if (time_column(p) && skip(p, " < "))
        return instant(p) && skip(p, " OR (") && time_column(p) && skip(p, " = ") && instant(p) &&
               skip(p, " AND ") && station(p) && skip(p, " > ") && id(p) && skip(p, "))");
    *p = open;
    if (station(p) && skip(p, " > "))
        return id(p) && skip(p, " OR (") && station(p) && skip(p, " = ") && id(p) &&
               skip(p, " AND ") && time_column(p) && skip(p, " < ") && instant(p) && skip(p, "))");
    *p = before;
    return false;
}

static bool filter(struct parser *p)
{
    if (skip(p, " AND key LIKE ") && !quoted(p, "%", 16))
        return false;
    if (skip(p, " AND value >= ")) {
        size_t n = strspn(p->at, "0123456789+-.e");
        p->at += n;
        if (n == 0 || !skip(p, "::float8"))
            return false;
    }
    if (skip(p, " AND n = ")) {
        skip(p, "-");
        size_t n = strspn(p->at, "0123456789");
        p->at += n;
        return n > 0;
    }
    return true;
}

static bool order(struct parser *p)
{
    if (!skip(p, " ORDER BY "))
        return false;
    if (station(p))
        return skip(p, ", ") && time_column(p) && (skip(p, " DESC") || true);
    if (!time_column(p))
        return false;
    skip(p, " DESC");
    return !skip(p, ", ") || station(p);
}

static bool limit(struct parser *p)
{
    if (!skip(p, " LIMIT "))
        return true;
    size_t n = strspn(p->at, "0123456789");
    p->at += n;
    return n > 0;
}

static bool statement(struct parser *p)
{
    return skip(p, "SELECT c FROM t WHERE ") && time_column(p) && skip(p, " >= ") && instant(p) &&
           skip(p, " AND ") && time_column(p) && skip(p, " < ") && instant(p) && stations(p) &&
           position(p) && filter(p) && order(p) && limit(p) && *p->at == '\0';
}

static void make_filter(struct input *in, unsigned flags, struct buf *b)
{
    char pattern[24] = "";
    double v;
    if (flags & 1) {
        sql_text(b, " AND key LIKE ");
        input_take(in, pattern, input_byte(in) % (sizeof(pattern) - 1));
        sql_key_pattern(b, pattern);
    }
    if (flags & 2) {
        sql_text(b, " AND value >= ");
        input_take(in, &v, sizeof(v));
        sql_float8(b, v);
    }
    if (flags & 4) {
        sql_text(b, " AND n = ");
        sql_int(b, input_int64(in));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    char texts[IDS][STATION_ROOM];
    const char *list[IDS];
    struct buf where = BUF_INIT(BUF_LIMIT_SQL), sql = BUF_INIT(BUF_LIMIT_SQL);
    unsigned flags = input_byte(&in), more = input_byte(&in);
    make_filter(&in, more, &where);
    struct archive_query q = { .table = "t",
                               .station = "s",
                               .time = "v",
                               .columns = "c",
                               .tie = "",
                               .stations = list,
                               .count = input_byte(&in) % IDS,
                               .time_is_day = flags & 1,
                               .all = flags & 2,
                               .by_time = flags & 4,
                               .descending = flags & 8,
                               .collate = flags & 16 };
    struct archive_slice s = { .from = input_int64(&in),
                               .to = input_int64(&in),
                               .resumed = flags & 32,
                               .after_time = input_int64(&in),
                               .limit = flags & 64 ? (uint64_t)input_byte(&in) : 0 };
    q.filter = where.data != NULL ? where.data : "";
    uint32_t groups = archive_groups(&q);
    s.first = groups > 0 ? input_byte(&in) % groups : 0;
    s.count = groups > 0 ? 1 + input_byte(&in) % (groups - s.first) : 0;
    input_take(&in, s.after_station, input_byte(&in) % STATION_ROOM);
    for (int i = 0; i < IDS; i++) {
        memset(texts[i], 0, STATION_ROOM);
        input_take(&in, texts[i], input_byte(&in) % STATION_ROOM);
        list[i] = texts[i];
    }
    archive_sql(&q, &s, &sql);
    struct parser p = { .at = sql.data, .time = "v", .station = "s", .day = q.time_is_day };
    if (!sql.failed && !where.failed && !statement(&p)) {
        fprintf(stderr, "not of the grammar: %s\n                at: %s\n", sql.data, p.at);
        abort();
    }
    MUST(groups > 0 || q.all || sql.failed);
    buf_release(&where);
    buf_release(&sql);
    return 0;
}
