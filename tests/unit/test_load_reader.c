/* Files to rows without a database: headers, rejects, stray quotes, batches. */
#include "../../src/load/reader.h"

#include "obstream/core/strutil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct bench {
    struct reader reader;
    struct rejects rejects;
    struct load_options options;
    struct batch batches[2];
    int turn;
    unsigned handed;                        /* full batches */
    uint64_t rows;                          /* in those */
    char first_moment[64], last_moment[64]; /* of the batch before, and of this one */
    bool split;                             /* the rows of a moment fell into two batches */
    char path[64];
    char warning[256];
};

/* Key of a row's moment: id and time as they are encoded. */
static void moment(const struct batch *b, const struct plan *p, uint32_t row, char *out)
{
    uint32_t at[LOAD_COLUMNS_MAX];
    batch_offsets(b, p, b->starts[row] & ~(uint32_t)BATCH_ROW_DEAD, at);
    const char *id = b->rows.data + at[p->id];
    snprintf(out, 64, "%.*s %lld", value_length(id), id + sizeof(uint32_t),
             (long long)value_read_int(b->rows.data + at[p->time]));
}

static struct batch *take_full(void *ctx, struct batch *b, struct err *e)
{
    struct bench *t = ctx;
    (void)e;
    moment(b, &t->reader.plan, 0, t->first_moment);
    if (t->handed != 0 && str_eq(t->first_moment, t->last_moment))
        t->split = true;
    moment(b, &t->reader.plan, b->count - 1, t->last_moment);
    t->handed++;
    t->rows += b->count;
    t->turn = !t->turn;
    batch_clear(&t->batches[t->turn]);
    return &t->batches[t->turn];
}

static void on_warning(void *ctx, const char *message)
{
    struct bench *t = ctx;
    snprintf(t->warning, sizeof(t->warning), "%s", message);
}

static void begin(struct bench *t, const char *dataset)
{
    *t = (struct bench){ .path = "/tmp/obstream_rejects.XXXXXX" };
    t->options.warn = on_warning;
    t->options.warn_ctx = t;
    int fd = mkstemp(t->path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(rejects_init(&t->rejects, t->path));
    assert_true(reader_init(&t->reader, dataset_find(dataset), &t->options, &t->rejects));
    batch_init(&t->batches[0]);
    batch_init(&t->batches[1]);
    t->reader.batch = &t->batches[0];
    t->reader.full = take_full;
    t->reader.full_ctx = t;
}

static void end(struct bench *t)
{
    reader_release(&t->reader);
    batch_release(&t->batches[0]);
    batch_release(&t->batches[1]);
    assert_true(rejects_release(&t->rejects));
    unlink(t->path);
}

/* Feeds the text in pieces of `piece` bytes; each split must give the same. */
static bool feed(struct bench *t, const char *text, size_t piece, struct err *e)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i += piece) {
        if (!reader_write(&t->reader, text + i, len - i < piece ? len - i : piece, e))
            return false;
    }
    return reader_finish(&t->reader, e);
}

static void test_any_split_gives_the_same(void **state)
{
    static const char text[] = "\xEF\xBB\xBFtmpf,valid,ignored,station,metar\r\n"
                               "1,2024-01-01,x,DSM,\"a \"\"b\"\"\r\nc\"\r\n"
                               "\r\n"
                               "2,2024-01-01T01:00Z,,DSM,";
    (void)state;
    char *want = NULL;
    size_t want_len = 0;
    for (size_t piece = 1; piece <= sizeof(text); piece++) {
        struct bench t;
        struct err e = ERR_INIT;
        begin(&t, "metar");
        assert_true(feed(&t, text, piece, &e));
        assert_int_equal(t.reader.records, 2);
        assert_int_equal(t.rejects.count, 0);
        struct batch *b = t.reader.batch;
        assert_int_equal(b->count, 2);
        if (want == NULL) {
            want_len = b->rows.len;
            want = malloc(want_len);
            memcpy(want, b->rows.data, want_len);
        }
        assert_int_equal(b->rows.len, want_len);
        assert_memory_equal(b->rows.data, want, want_len);
        assert_string_equal(t.warning, "columns not loaded, metar has none of that name: ignored");
        end(&t);
    }
    free(want);
}

struct reject_case {
    const char *dataset, *text;
    unsigned rows, rejects, records;
};

static const struct reject_case reject_cases[] = {
    /* a quote that never closes costs its line only */
    { "metar", "station,valid,metar\nDSM,2024-01-01,\"x\nDSM,2024-01-02,y\nDSM,2024-01-03,z\n", 2,
      1, 3 },
    /* also when a later quote makes the number of fields right */
    { "metar", "station,valid,metar\nDSM,2024-01-01,\"x\nDSM,2024-01-02,y\nDSM,2024-01-03,\"z\"\n",
      2, 1, 3 },
    /* three in a row, and no end of line */
    { "metar", "station,valid,metar\nA,2024-01-01,\"\nB,2024-01-02,\"\nC,2024-01-03,\"", 0, 3, 3 },
    /* a text with lines of its own is none of that */
    { "metar", "station,valid,metar\nA,2024-01-01,\"x\ny, z\n\n\"\nB,2024-01-02,\n", 2, 0, 2 },
    /* without a time column: too few fields in the end */
    { "stations", "id,network,name\nA,N,\"x\nB,N,y\nC,N,z\n", 2, 1, 3 },
    { "metar", "station,valid,tmpf\nDSM,2024-01-01,1,2\nDSM,2024-01-01\nDSM,2024-01-01,1\n", 1, 2,
      3 },
    { "metar", "station,valid,tmpf\n,2024-01-01,1\nDSM,,1\nDSM,2024-01-01,\n", 1, 2, 3 },
    /* M and T where a service prints them; only there */
    { "metar", "station,valid,p01i,tmpf\nDSM,2024-01-01,T,M\n", 1, 0, 1 },
    { "shef", "station,valid,key,value\nDSMI4,2024-01-01,HGIRGZZ,M\n", 0, 1, 1 },
    { "coop", "station,day,high\nIATDSM,2024-01-01,1\niaTDSM,2024-01-01,1\nI,2024-01-01,1\n", 1, 2,
      3 },
    { "coop", "station,day\nIATDSM,2024-01-01 12:00\n", 0, 1, 1 },
    /* one row per value; an empty line of values makes none */
    { "shef",
      "utc_valid,station,HGIRGZZ,PCIRGZZ\n2024-01-01,A,1,2\n2024-01-02,A,,\n"
      "2024-01-03,A,x,1\n2024-01-04,A,,3\n",
      3, 1, 4 },
    { "metar", "station,valid\nDSM,9999-01-01\nDSM,0001-01-01\nDSM,2024-01-01\n", 1, 2, 3 },
    { "stations", "id,network,lon,lat\nA,N,181,0\nB,N,180,-90\nC,N,0,90.1\nD,N,NaN,0\n", 1, 3, 4 },
};

static void test_rejects(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(reject_cases); i++) {
        const struct reject_case *c = &reject_cases[i];
        struct bench t;
        struct err e = ERR_INIT;
        begin(&t, c->dataset);
        if (!feed(&t, c->text, 7, &e))
            fail_msg("%s: %s", c->text, e.msg);
        if (t.reader.batch->count != c->rows || t.rejects.count != c->rejects ||
            t.reader.records != c->records)
            fail_msg("%s: %u rows, %u rejected of %u", c->text, t.reader.batch->count,
                     (unsigned)t.rejects.count, (unsigned)t.reader.records);
        end(&t);
    }
}

static void test_headers_that_will_not_do(void **state)
{
    static const struct {
        const char *dataset, *text, *complaint;
    } bad[] = {
        { "metar", "", "no header line" },
        { "metar", "# only\n\n", "no header line" },
        { "metar", "station,tmpf\n", "\"valid\"" },
        { "shef", "station,valid,value\n", "\"key\"" },
        { "metar", "#DEBUG: Time Period   -> 2023-02-01 00:00:00-06:00 x\nstation,valid\n",
          "tz=UTC" },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct bench t;
        struct err e = ERR_INIT;
        begin(&t, bad[i].dataset);
        assert_false(feed(&t, bad[i].text, 1000, &e));
        if (strstr(e.msg, bad[i].complaint) == NULL)
            fail_msg("\"%s\" does not say %s", e.msg, bad[i].complaint);
        end(&t);
    }
}

/* Rows of one station and minute stay in one batch where keys may repeat. */
static void test_moments_are_not_split(void **state)
{
    enum { MOMENTS = 40000, KEYS = 7 };
    struct bench t;
    struct err e = ERR_INIT;
    (void)state;
    begin(&t, "shef");
    char line[128];
    assert_true(reader_write(&t.reader, "station,valid,key,value\n", 24, &e));
    for (int i = 0; i < MOMENTS * KEYS; i++) {
        int minute = i / KEYS;
        int n = snprintf(line, sizeof(line), "AAAI4,2024-%02d-%02d %02d:%02d,HGIRGZZ,%d\n",
                         minute / 1440 / 28 % 12 + 1, minute / 1440 % 28 + 1, minute / 60 % 24,
                         minute % 60, i % KEYS);
        assert_true(reader_write(&t.reader, line, (size_t)n, &e));
    }
    assert_true(reader_finish(&t.reader, &e));
    assert_true(t.handed >= 2);
    assert_int_equal(t.rows + t.reader.batch->count, MOMENTS * KEYS);
    moment(t.reader.batch, &t.reader.plan, 0, t.first_moment);
    assert_false(t.split);
    assert_string_not_equal(t.first_moment, t.last_moment);
    end(&t);
}

static bool count_bytes(void *ctx, const char *bytes, size_t len)
{
    (void)bytes;
    *(size_t *)ctx += len;
    return true;
}

/* A later row of the same key stands for the earlier one, an equal one changes nothing. */
static void test_repeated_keys(void **state)
{
    struct bench t;
    struct err e = ERR_INIT;
    struct buf text = BUF_INIT(BUF_LIMIT_DOCUMENT);
    (void)state;
    begin(&t, "hads-alldata");
    buf_puts(&text, "station,valid,tmpf\n");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10000; i++)
            buf_printf(&text, "S%d,2024-01-01,%d\n", i, round / 2);
    }
    assert_true(feed(&t, text.data, 4096, &e));
    struct batch *b = t.reader.batch;
    assert_int_equal(b->repeated, 10000);
    assert_int_equal(b->superseded, 10000);
    assert_int_equal(batch_live(b), 10000);
    size_t bytes = 0;
    assert_true(batch_each(b, count_bytes, &bytes));
    assert_true(bytes * 2 == b->rows.len);
    assert_int_equal(b->span_count, 10000);
    buf_release(&text);
    end(&t);
}

static void test_newest_of_a_file(void **state)
{
    struct bench t;
    struct err e = ERR_INIT;
    (void)state;
    begin(&t, "current");
    assert_true(feed(&t, "iemid,valid,tmpf\n1,2024-01-02,2\n1,2024-01-01,1\n", 100, &e));
    assert_int_equal(t.reader.batch->count, 1);
    assert_int_equal(t.reader.batch->repeated, 1);
    end(&t);
}

/* Every name that a data set's row mentions is a column of it. */
static void test_datasets_are_consistent(void **state)
{
    (void)state;
    for (size_t i = 0; dataset_at(i) != NULL; i++) {
        const struct load_dataset *d = dataset_at(i);
        assert_true(d->count <= LOAD_COLUMNS_MAX);
        const char *lists[] = { d->key, d->required, d->id, d->time, d->newest, d->second_key };
        for (size_t k = 0; k < ARRAY_SIZE(lists); k++) {
            for (const char *s = lists[k]; s != NULL && *s != '\0';) {
                size_t n = strcspn(s, ",");
                int c = dataset_column(d, s, n);
                if (c < 0 || strlen(d->columns[c].name) != n)
                    fail_msg("%s: %.*s is no column", d->name, (int)n, s);
                s += n + (s[n] == ',');
            }
        }
        for (unsigned c = 0; c < d->count; c++) {
            const char *name = d->columns[c].name;
            assert_int_equal(dataset_column(d, name, strlen(name)), (int)c);
            assert_false(d->columns[c].aliases != NULL &&
                         word_in(d->columns[c].aliases, name, strlen(name)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_split_gives_the_same),
        cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_headers_that_will_not_do),
        cmocka_unit_test(test_moments_are_not_split),
        cmocka_unit_test(test_repeated_keys),
        cmocka_unit_test(test_newest_of_a_file),
        cmocka_unit_test(test_datasets_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
