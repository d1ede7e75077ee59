#include "reader.h"

#include "obstream/core/strutil.h"

#include <stdlib.h>

static int never(unsigned char c)
{
    (void)c;
    return 0;
}

static void csv_setup(struct reader *r)
{
    csv_init(&r->csv, CSV_EMPTY_IS_NULL);
    csv_set_space_func(&r->csv, never); /* blanks are data */
}

bool reader_init(struct reader *r, const struct load_dataset *d, const struct load_options *o,
                 struct rejects *rejects)
{
    *r = (struct reader){ .options = o, .rejects = rejects };
    plan_init(&r->plan, d);
    r->partial = r->record = r->wide = BUF_INIT(BUF_LIMIT_MESSAGE);
    r->again = BUF_INIT(BUF_LIMIT_SEGMENT);
    csv_setup(r);
    r->names = calloc(PLAN_FIELDS_MAX, sizeof(*r->names));
    return r->names != NULL;
}

void reader_release(struct reader *r)
{
    csv_free(&r->csv);
    plan_release(&r->plan);
    buf_release(&r->partial);
    buf_release(&r->record);
    buf_release(&r->again);
    buf_release(&r->wide);
    free(r->names);
}

static void on_name(void *s, size_t len, void *ctx)
{
    struct reader *r = ctx;
    const char *text = s == NULL ? "" : s;
    while (len > 0 && text[0] == ' ')
        text++, len--;
    while (len > 0 && text[len - 1] == ' ')
        len--;
    if (r->name_count < PLAN_FIELDS_MAX)
        r->names[r->name_count] = arena_strndup(&r->plan.arena, text, len);
    r->name_count++;
}

static void on_field(void *s, size_t len, void *ctx)
{
    record_field(ctx, s, len);
}

static void on_record(int c, void *ctx)
{
    struct reader *r = ctx;
    (void)c;
    r->ended = true;
}

/* "#DEBUG: Time Period   -> 2023-02-01 00:00:00-06:00 ..." tells that times are not in UTC. */
static bool check_preamble(const char *line, size_t len, struct err *e)
{
    if (line == NULL || memmem(line, len, "Time Period", 11) == NULL)
        return true;
    const char *at = memmem(line, len, "-> ", 3);
    if (at == NULL)
        return true;
    static const size_t before = sizeof("-> 2023-02-01 00:00:00") - 1;
    if ((size_t)(line + len - at) < before + 6 || (at[before] != '+' && at[before] != '-'))
        return true;
    const char *offset = at + before;
    return memcmp(offset + 1, "00:00", 5) == 0 ||
           err_set(e, ERR_PARAM,
                   "the times of this file have the offset %.6s and do not say so line by line; "
                   "request it again with tz=UTC",
                   offset);
}

static bool is_blank_line(const char *line, size_t len)
{
    return len == 0 || (len == 1 && (line[0] == '\n' || line[0] == '\r')) ||
           (len == 2 && line[0] == '\r' && line[1] == '\n');
}

static bool take_header(struct reader *r, const char *line, size_t len, struct err *e)
{
    static const char bom[] = "\xEF\xBB\xBF";
    if (len >= 3 && memcmp(line, bom, 3) == 0) {
        line += 3;
        len -= 3;
    }
    if (is_blank_line(line, len))
        return true;
    if (line[0] == '#') {
        r->preamble = true;
        return check_preamble(line, len, e);
    }
    bool commas = memchr(line, ',', len) != NULL;
    bool tabs = memchr(line, '\t', len) != NULL, blanks = memchr(line, ' ', len) != NULL;
    csv_set_delim(&r->csv, commas ? ',' : tabs ? '\t' : blanks ? ' ' : ',');
    csv_parse(&r->csv, line, len, on_name, on_record, r);
    csv_fini(&r->csv, on_name, on_record, r);
    if (r->name_count > PLAN_FIELDS_MAX)
        return err_set(e, ERR_PARAM, "the header has %u columns, %d are the most", r->name_count,
                       PLAN_FIELDS_MAX);
    if (!plan_header(&r->plan, r->options->table, r->names, r->name_count, r->options->warn,
                     r->options->warn_ctx, e))
        return false;
    if (r->preamble) /* the IEM's services write text as it is; a quote is no more than that */
        csv_set_quote(&r->csv, '\x01');
    r->headed = true;
    r->ended = false;
    record_begin(r);
    return true;
}

/* A record with more than one line is wrong in a way a stray quote makes: its first line is
 * rejected, the others are read as if nothing had been before them. */
static bool read_again(struct reader *r, struct err *e)
{
    const char *p = r->record.data;
    const char *next = memchr(p, '\n', r->record.len);
    size_t first = next == NULL ? r->record.len : (size_t)(next - p) + 1;
    struct buf again = BUF_INIT(BUF_LIMIT_SEGMENT);
    buf_add(&again, p + first, r->record.len - first);
    buf_add(&again, r->again.data + r->again_pos, r->again.len - r->again_pos);
    rejects_add(r->rejects, r->line, r->reason, p, first);
    buf_release(&r->again);
    r->again = again;
    r->again_pos = 0;
    csv_fini(&r->csv, NULL, NULL, NULL);
    if (r->batch != NULL)
        r->batch->rows.len = r->start;
    buf_clear(&r->record);
    r->records++;
    r->ended = false;
    r->lines = r->line;
    record_begin(r);
    return !again.failed || err_set(e, ERR_INTERNAL, "out of memory");
}

static bool end_record(struct reader *r, const char *line, size_t len, struct err *e)
{
    bool spans = r->record.len != 0;
    if (spans) {
        buf_add(&r->record, line, len);
        if (r->field != r->plan.field_count || (r->bad && r->overlong)) {
            if (r->field != r->plan.field_count)
                snprintf(r->reason, sizeof(r->reason),
                         "a quote opens a field that does not end as it should");
            return read_again(r, e);
        }
    }
    bool ok = record_end(r, spans ? r->record.data : line, spans ? r->record.len : len, e);
    buf_clear(&r->record);
    r->ended = false;
    if (ok)
        record_begin(r);
    return ok;
}

/* Does a line within an open field look like a record of its own? It has all the fields, and a time
 * where the time should be: then the quote that opened the field is a stray one. */
static bool looks_whole(struct reader *r, const char *line, size_t len)
{
    const char *end = line + len;
    unsigned field = 0;
    bool timed = r->plan.time_field == SLOT_NONE && r->plan.field_count >= 3;
    for (const char *p = line; p < end; field++) {
        const char *next = memchr(p, csv_get_delim(&r->csv), (size_t)(end - p));
        int64_t unused;
        next = next == NULL ? end : next;
        if ((int)field == r->plan.time_field && value_instant(p, (size_t)(next - p), &unused))
            timed = true;
        p = next + 1;
    }
    return timed && field >= r->plan.field_count;
}

static bool take_line(struct reader *r, const char *line, size_t len, struct err *e)
{
    r->lines++;
    if (!r->headed)
        return take_header(r, line, len, e);
    if (r->record.len == 0) {
        if (is_blank_line(line, len))
            return true;
        r->line = r->lines;
    }
    if (r->record.len != 0 && looks_whole(r, line, len)) {
        buf_add(&r->record, line, len);
        snprintf(r->reason, sizeof(r->reason), "a quote opens a field that does not end");
        return read_again(r, e);
    }
    if (csv_parse(&r->csv, line, len, on_field, on_record, r) != len)
        return err_set(e, ERR_INTERNAL, "line %llu: %s", (unsigned long long)r->lines,
                       csv_strerror(csv_error(&r->csv)));
    if (r->ended)
        return end_record(r, line, len, e);
    buf_add(&r->record, line, len);
    if (r->record.len <= LOAD_RECORD_BYTES)
        return true;
    snprintf(r->reason, sizeof(r->reason), "a quote opens a field of more than %d bytes",
             LOAD_RECORD_BYTES);
    return read_again(r, e);
}

/* A line, and what is to be read again because of it. */
static bool take_lines(struct reader *r, const char *line, size_t len, struct err *e)
{
    bool ok = take_line(r, line, len, e);
    while (ok && r->again_pos < r->again.len) {
        struct buf now = r->again; /* a line may put itself back, in a new buffer */
        const char *p = now.data + r->again_pos;
        const char *nl = memchr(p, '\n', now.len - r->again_pos);
        size_t n = nl == NULL ? now.len - r->again_pos : (size_t)(nl - p) + 1;
        r->again_pos += n;
        ok = take_line(r, p, n, e);
    }
    if (r->again_pos != 0) {
        buf_clear(&r->again);
        r->again_pos = 0;
    }
    return ok;
}

bool reader_write(struct reader *r, const char *bytes, size_t len, struct err *e)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *nl = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t n = (size_t)((nl == NULL ? end : nl + 1) - bytes);
        bool ok = true;
        if (nl == NULL || r->partial.len != 0) {
            buf_add(&r->partial, bytes, n);
            if (r->partial.failed)
                return err_set(e, ERR_PARAM, "line %llu is longer than %d bytes; is this CSV?",
                               (unsigned long long)r->lines + 1, BUF_LIMIT_MESSAGE);
            if (nl == NULL)
                return true;
            ok = take_lines(r, r->partial.data, r->partial.len, e);
            buf_clear(&r->partial);
        } else {
            ok = take_lines(r, bytes, n, e);
        }
        if (!ok)
            return false;
        bytes += n;
    }
    return true;
}

bool reader_finish(struct reader *r, struct err *e)
{
    if (r->partial.len != 0 && !reader_write(r, "\n", 1, e))
        return false;
    while (r->record.len != 0) { /* the file ends within quotes */
        snprintf(r->reason, sizeof(r->reason), "a quote is open at the end of the file");
        if (!read_again(r, e) || !take_lines(r, "", 0, e))
            return false;
    }
    if (!r->headed)
        return err_set(e, ERR_PARAM, "the file has no header line");
    r->batch->rows.len = r->start; /* a record was begun, none came */
    return true;
}
