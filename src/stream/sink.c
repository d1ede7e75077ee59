#include "obstream/stream/sink.h"

#include <string.h>

/* Complete groups are handed to the codec beyond this size: the encoder's output then still lies
 * in the second-level cache. */
enum { SINK_FLUSH = 48 << 10 };

void sink_init(struct sink *s)
{
    memset(s, 0, sizeof(*s));
    buf_init(&s->plain, BUF_LIMIT_SEGMENT);
}

void sink_release(struct sink *s)
{
    for (int i = 0; i < SINK_CODERS; i++) {
        if (s->coders[i].coder != NULL)
            s->coders[i].codec->coder_free(s->coders[i].coder);
    }
    buf_release(&s->plain);
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

static void group_done(struct sink *s)
{
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

bool sink_row(struct sink *s, const struct cell *cells)
{
    const struct plan *p = s->plan;
    if (s->remaining == 0) {
        s->segment->truncated = true;
        return false;
    }
    if (p->pool != NULL)
        group_check(s, &cells[p->station_cell], &cells[p->time_cell]);
    else if (s->plain.len > SINK_FLUSH)
        group_done(s);
    p->encoder->row(&s->encode, cells, &s->plain);
    s->encode.rows++;
    s->remaining--;
    return !s->plain.failed || err_set(&s->err, ERR_TOO_LARGE, "out of memory for one segment");
}

bool sink_cut(struct sink *s)
{
    if (!s->have_done)
        return false;
    s->plain.len = s->mark;
    s->remaining += s->encode.rows - s->marked_rows;
    s->encode.rows = s->marked_rows;
    s->in_group = false;
    return true;
}

bool sink_end(struct sink *s, struct err *e)
{
    if (s->err.kind != ERR_NONE)
        return err_set(e, s->err.kind, "%s", s->err.msg);
    if (s->plain.len > 0)
        s->plan->codec->write(s->coder, s->plain.data, s->plain.len);
    s->segment->rows = s->encode.rows;
    if (!s->plan->codec->end(s->coder) || s->segment->bytes.failed)
        return err_set(e, ERR_INTERNAL, "out of memory while coding a segment");
    return true;
}
