/*
 * Units made by worker threads, written in order by the caller's thread.
 *
 * Slots form a ring: unit u is made in slot u % slots. A worker takes the next unit once its slot
 * is free again, so that at most `slots` units exist, and the writer waits for the slot of the unit
 * that is next in order.
 */
#include "obstream/load/synth.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_THREADS = 64, GZIP_LEVEL = 1 };

struct slot {
    struct buf rows, packed;
    uint64_t count;
    bool ready;
};

struct ring {
    const struct synth_plan *plan;
    const struct synth_table_info *table;
    bool gzip;
    size_t units, next, written, slots; /* next to be made; written so far */
    struct slot *slot;
    bool stop;
    pthread_mutex_t lock;
    pthread_cond_t made, freed;
};

/* One gzip member; files of several members are gzip files (RFC 1952, 2.2). */
static void pack(const struct buf *in, struct buf *out)
{
    z_stream z = { 0 };
    buf_clear(out);
    if (in->failed ||
        deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        out->failed = true;
        return;
    }
    size_t room = deflateBound(&z, in->len);
    if (buf_grow(out, room)) {
        z.next_in = (unsigned char *)in->data;
        z.avail_in = (uInt)in->len;
        z.next_out = (unsigned char *)out->data;
        z.avail_out = (uInt)room;
        if (deflate(&z, Z_FINISH) == Z_STREAM_END)
            buf_advance(out, out->data + room - z.avail_out);
        else
            out->failed = true;
    }
    deflateEnd(&z);
}

static void *work(void *arg)
{
    struct ring *r = arg;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (!r->stop && r->next < r->units && r->next >= r->written + r->slots)
            pthread_cond_wait(&r->freed, &r->lock);
        if (r->stop || r->next >= r->units)
            break;
        size_t unit = r->next++;
        struct slot *s = &r->slot[unit % r->slots];
        pthread_mutex_unlock(&r->lock);
        buf_clear(&s->rows);
        s->count = r->table->make(r->plan, unit, &s->rows);
        if (r->gzip)
            pack(&s->rows, &s->packed);
        pthread_mutex_lock(&r->lock);
        s->ready = true;
        pthread_cond_broadcast(&r->made);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static struct slot *wait_for(struct ring *r, size_t unit)
{
    struct slot *s = &r->slot[unit % r->slots];
    pthread_mutex_lock(&r->lock);
    while (!s->ready)
        pthread_cond_wait(&r->made, &r->lock);
    pthread_mutex_unlock(&r->lock);
    return s;
}

static void give_back(struct ring *r, struct slot *s)
{
    pthread_mutex_lock(&r->lock);
    s->ready = false;
    r->written++;
    pthread_cond_broadcast(&r->freed);
    pthread_mutex_unlock(&r->lock);
}

static void stop(struct ring *r)
{
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->freed);
    pthread_mutex_unlock(&r->lock);
}

struct output {
    const struct synth_sink *sink;
    struct synth_counts *counts;
    void (*progress)(void *ctx, const struct synth_table_info *t, double part,
                     const struct synth_counts *c);
    void *progress_ctx;
};

static bool write_units(struct ring *r, const struct output *out, enum synth_table t, struct err *e)
{
    for (size_t unit = 0; unit < r->units; unit++) {
        struct slot *s = wait_for(r, unit);
        const struct buf *b = r->gzip ? &s->packed : &s->rows;
        if (b->failed)
            return err_set(e, ERR_INTERNAL, "no memory for unit %zu of table %s", unit,
                           r->table->name);
        out->counts->rows[t] += s->count;
        out->counts->bytes[t] += s->rows.len;
        if (b->len > 0 && !out->sink->write(out->sink->ctx, b->data, b->len, e))
            return false;
        give_back(r, s);
        if (out->progress != NULL)
            out->progress(out->progress_ctx, r->table, (double)(unit + 1) / (double)r->units,
                          out->counts);
    }
    return true;
}

static bool write_header(const struct synth_table_info *t, const struct output *out, struct err *e)
{
    struct buf plain = BUF_INIT(BUF_LIMIT_MESSAGE), packed = BUF_INIT(BUF_LIMIT_MESSAGE);
    const struct buf *b = &plain;
    buf_puts(&plain, t->header);
    if (out->sink->gzip) {
        pack(&plain, &packed);
        b = &packed;
    }
    bool ok = b->failed ? err_set(e, ERR_INTERNAL, "no memory for the header of %s", t->name)
                        : out->sink->write(out->sink->ctx, b->data, b->len, e);
    buf_release(&plain);
    buf_release(&packed);
    return ok;
}

static bool run_ring(struct ring *r, size_t threads, const struct output *out, enum synth_table t,
                     struct err *e)
{
    pthread_t thread[MAX_THREADS];
    size_t started = 0;
    while (started < threads && pthread_create(&thread[started], NULL, work, r) == 0)
        started++;
    bool ok = started > 0 ? write_units(r, out, t, e)
                          : err_set(e, ERR_INTERNAL, "no thread could be started");
    stop(r);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return ok;
}

static bool run_table(const struct synth_plan *p, enum synth_table t, size_t threads,
                      const struct output *out, struct err *e)
{
    struct ring r = { .plan = p, .table = synth_table(t), .gzip = out->sink->gzip };
    r.units = r.table->units(p);
    r.slots = threads * 2 + 1;
    r.slot = calloc(r.slots, sizeof(*r.slot));
    if (r.slot == NULL)
        return err_set(e, ERR_INTERNAL, "no memory for %zu units", r.slots);
    for (size_t i = 0; i < r.slots; i++) {
        buf_init(&r.slot[i].rows, BUF_LIMIT_SEGMENT);
        buf_init(&r.slot[i].packed, BUF_LIMIT_SEGMENT);
    }
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.made, NULL);
    pthread_cond_init(&r.freed, NULL);
    bool ok = run_ring(&r, threads, out, t, e);
    pthread_cond_destroy(&r.made);
    pthread_cond_destroy(&r.freed);
    pthread_mutex_destroy(&r.lock);
    for (size_t i = 0; i < r.slots; i++) {
        buf_release(&r.slot[i].rows);
        buf_release(&r.slot[i].packed);
    }
    free(r.slot);
    return ok;
}

static size_t thread_count(unsigned wanted)
{
    long cores = wanted > 0 ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (size_t)cores;
}

bool synth_run(const struct synth_options *o, const struct synth_sink *sink,
               struct synth_counts *counts,
               void (*progress)(void *ctx, const struct synth_table_info *t, double part,
                                const struct synth_counts *c),
               void *progress_ctx, struct err *e)
{
    struct output out = { sink, counts, progress, progress_ctx };
    struct synth_plan plan;
    bool ok = true;
    *counts = (struct synth_counts){ { 0 }, { 0 } };
    if (!synth_plan_init(&plan, o, e))
        return false;
    for (int t = 0; ok && t < SYNTH_TABLE_COUNT; t++) {
        const struct synth_table_info *table = synth_table(t);
        if (table->sets != 0 && (table->sets & o->sets) == 0)
            continue;
        ok = sink->begin(sink->ctx, table, e);
        if (!ok)
            break;
        ok = write_header(table, &out, e) && run_table(&plan, t, thread_count(o->threads), &out, e);
        struct err late = ERR_INIT;
        if (!sink->end(sink->ctx, ok ? e : &late))
            ok = false;
    }
    synth_plan_release(&plan);
    return ok;
}
