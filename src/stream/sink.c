#include "obstream/stream/sink.h"

#include <stdlib.h>
#include <string.h>

/* Complete groups are handed to the codec beyond this size: the encoder's output then still lies
 * in the second-level cache. */
enum { SINK_FLUSH = 48 << 10 };

void sink_init(struct sink *s)
{
    memset(s, 0, sizeof(*s));
    buf_init(&s->plain, BUF_LIMIT_SEGMENT);
    buf_init(&s->sorted, BUF_LIMIT_SEGMENT);
}

void sink_release(struct sink *s)
{
    for (int i = 0; i < SINK_CODERS; i++) {
        if (s->coders[i].coder != NULL)
            s->coders[i].codec->coder_free(s->coders[i].coder);
    }
    buf_release(&s->plain);
    buf_release(&s->sorted);
    free(s->starts);
}

static struct coder *coder_for(struct sink *s, const struct codec *codec, int level)
{
    int i = 0;
    while (i < SINK_CODERS && s->coders[i].coder != NULL) {
        if (s->coders[i].codec == codec && s->coders[i].level == level)
            return s->coders[i].coder;
        i++;
    }
    if (i == SINK_CODERS) { /* all taken by other levels: the oldest makes room */
        s->coders[0].codec->coder_free(s->coders[0].coder);
        i = 0;
    }
    s->coders[i].codec = codec;
    s->coders[i].level = level;
    s->coders[i].coder = codec->coder_new(level);
    return s->coders[i].coder;
}

bool sink_begin(struct sink *s, const struct plan *p, struct segment *seg, uint64_t remaining,
                struct err *e)
{
    s->coder = coder_for(s, p->codec, p->level);
    if (s->coder == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory for %s", p->codec->name);
    s->plan = p;
    s->segment = seg;
    s->remaining = remaining;
    s->mark = 0;
    s->marked_rows = 0;
    s->in_group = s->have_done = false;
    s->start_count = 0;
    s->err = ERR_INIT;
    buf_clear(&s->plain);
    encode_begin(&s->encode, &p->shape);
    p->codec->begin(s->coder, &seg->bytes, &seg->sum);
    return true;
}

static void write_marked(struct sink *s)
{
    s->plan->codec->write(s->coder, s->plain.data, s->mark);
    size_t rest = s->plain.len - s->mark;
    memmove(s->plain.data, s->plain.data + s->mark, rest + 1);
    s->plain.len = rest;
    s->mark = 0;
}

struct row_text {
    const char *text;
    size_t len;
};

static int by_text(const void *a, const void *b)
{
    const struct row_text *x = a, *y = b;
    int c = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return c != 0 ? c : (x->len > y->len) - (x->len < y->len);
}

/* Writes the rows of the group again, in the order of their texts. */
static void write_sorted(struct sink *s, struct row_text *rows, size_t first, bool separated)
{
    const char *separator = s->plan->encoder->separator;
    buf_clear(&s->sorted);
    for (uint32_t i = 0; i < s->start_count; i++) {
        if (i > 0 || separated)
            buf_puts(&s->sorted, separator);
        buf_add(&s->sorted, rows[i].text, rows[i].len);
    }
    if (s->sorted.failed || s->sorted.len != s->plain.len - first)
        s->plain.failed = true;
    else
        memcpy(s->plain.data + first, s->sorted.data, s->sorted.len);
}

static void group_sort(struct sink *s)
{
    size_t sep = strlen(s->plan->encoder->separator);
    struct row_text *rows = malloc(s->start_count * sizeof(*rows));
    if (rows == NULL) {
        s->plain.failed = true;
        return;
    }
    bool separated = s->encode.rows > s->start_count; /* rows of this segment stand before them */
    for (uint32_t i = 0; i < s->start_count; i++) {
        size_t start = s->starts[i] + (i > 0 || separated ? sep : 0);
        size_t end = i + 1 < s->start_count ? s->starts[i + 1] : s->plain.len;
        rows[i] = (struct row_text){ s->plain.data + start, end - start };
    }
    qsort(rows, s->start_count, sizeof(*rows), by_text);
    write_sorted(s, rows, s->starts[0], separated);
    free(rows);
}

static void group_done(struct sink *s)
{
    if (s->start_count > 1 && !s->plain.failed)
        group_sort(s);
    s->start_count = 0;
    s->mark = s->plain.len;
    s->marked_rows = s->encode.rows;
    s->have_done = true;
    memcpy(s->done_station, s->station, s->station_len + 1);
    s->done_time = s->time;
    if (s->mark > SINK_FLUSH)
        write_marked(s);
}

/* Notices that a row starts another station or time than the one before it. */
static void group_check(struct sink *s, const struct cell *station, const struct cell *time)
{
    if (s->in_group && s->time == time->i && s->station_len == station->len &&
        memcmp(s->station, station->s, station->len) == 0)
        return;
    if (s->in_group)
        group_done(s);
    s->in_group = true;
    s->time = time->i;
    s->station_len = station->len < STATION_ROOM ? station->len : STATION_ROOM - 1;
    memcpy(s->station, station->s, s->station_len);
    s->station[s->station_len] = '\0';
}

static void note_start(struct sink *s)
{
    if (s->start_count == s->start_cap) {
        uint32_t cap = s->start_cap == 0 ? 64 : s->start_cap * 2;
        size_t *starts = realloc(s->starts, cap * sizeof(*starts));
        if (starts == NULL) {
            s->plain.failed = true;
            return;
        }
        s->starts = starts;
        s->start_cap = cap;
    }
    s->starts[s->start_count++] = s->plain.len;
}

bool sink_row(struct sink *s, const struct cell *cells)
{
    const struct plan *p = s->plan;
    if (s->remaining == 0) {
        s->segment->truncated = true;
        return false;
    }
    if (p->pool != NULL) {
        group_check(s, &cells[p->station_cell], &cells[p->time_cell]);
        note_start(s);
    } else if (s->plain.len > SINK_FLUSH) {
        group_done(s);
    }
    p->encoder->row(&s->encode, cells, &s->plain);
    s->encode.rows++;
    s->remaining--;
    return !s->plain.failed || err_set(&s->err, ERR_TOO_LARGE, "out of memory for one segment");
}

void sink_write(struct sink *s, const void *p, size_t n)
{
    buf_add(&s->plain, p, n);
    if (s->plain.failed)
        err_set(&s->err, ERR_TOO_LARGE, "out of memory for the document");
    if (s->plain.len > SINK_FLUSH) {
        s->mark = s->plain.len;
        write_marked(s);
    }
    if (n > 0 && s->encode.rows == 0)
        s->encode.rows = 1; /* a segment without rows would be left out */
}

bool sink_cut(struct sink *s)
{
    if (!s->have_done)
        return false;
    s->plain.len = s->mark;
    s->remaining += s->encode.rows - s->marked_rows;
    s->encode.rows = s->marked_rows;
    s->in_group = false;
    s->start_count = 0;
    return true;
}

void sink_drop(struct sink *s)
{
    s->plain.len = 0;
    s->remaining += s->encode.rows;
    s->encode.rows = 0;
    s->in_group = false;
    s->start_count = 0;
}

bool sink_end(struct sink *s, struct err *e)
{
    if (s->err.kind != ERR_NONE)
        return err_set(e, s->err.kind, "%s", s->err.msg);
    if (s->in_group)
        group_done(s);
    if (s->plain.failed)
        return err_set(e, ERR_TOO_LARGE, "out of memory for one segment");
    if (s->plain.len > 0)
        s->plan->codec->write(s->coder, s->plain.data, s->plain.len);
    s->segment->rows = s->encode.rows;
    if (!s->plan->codec->end(s->coder) || s->segment->bytes.failed)
        return err_set(e, ERR_INTERNAL, "out of memory while coding a segment");
    return true;
}
