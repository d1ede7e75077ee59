/* A feed: the caller's thread fills batches, the feed's own puts them into the database. */
#include "obstream/core/strutil.h"
#include "obstream/load/load.h"
#include "reader.h"
#include "store.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { TABLE_ROOM = 128 };

struct load_feed {
    struct load_options options;
    char *source;
    struct reader reader;
    struct rejects rejects;
    struct store store;
    struct batch batches[LOAD_BATCHES];
    pthread_t thread;
    bool running;
    /* guarded by lock: */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct batch *free[LOAD_BATCHES], *ready[LOAD_BATCHES]; /* ready: oldest first */
    unsigned free_count, ready_count;
    bool ended; /* nothing more will become ready */
    struct err error;
    struct load_counts counts;
};

static bool stopped(const struct load_feed *f)
{
    return f->options.stop != NULL && *f->options.stop;
}

static struct batch *next_ready(struct load_feed *f)
{
    pthread_mutex_lock(&f->lock);
    while (f->ready_count == 0 && !f->ended)
        pthread_cond_wait(&f->changed, &f->lock);
    struct batch *b = NULL;
    if (f->ready_count != 0) {
        b = f->ready[0];
        f->ready_count--;
        memmove(f->ready, f->ready + 1, f->ready_count * sizeof(f->ready[0]));
    }
    pthread_mutex_unlock(&f->lock);
    return b;
}

static void done_with(struct load_feed *f, struct batch *b, const struct err *why)
{
    pthread_mutex_lock(&f->lock);
    f->counts = f->store.counts;
    if (why->kind != ERR_NONE)
        err_set(&f->error, why->kind, "%s", why->msg);
    if (b != NULL)
        f->free[f->free_count++] = b;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static void *feed_thread(void *arg)
{
    struct load_feed *f = arg;
    struct batch *b;
    struct err why = ERR_INIT;
    while ((b = next_ready(f)) != NULL) {
        if (why.kind == ERR_NONE && stopped(f))
            err_set(&why, ERR_CANCELLED, "stopped");
        if (why.kind == ERR_NONE && store_batch(&f->store, b, &why))
            err_clear(&why);
        batch_clear(b);
        done_with(f, b, &why);
    }
    if (why.kind == ERR_NONE && !store_finish(&f->store, &why))
        done_with(f, NULL, &why);
    return NULL;
}

static bool failed(struct load_feed *f, struct err *e)
{
    return f->error.kind != ERR_NONE && !err_set(e, f->error.kind, "%s", f->error.msg);
}

/* Hands a full batch to the thread and takes an empty one. */
static struct batch *exchange(void *ctx, struct batch *b, struct err *e)
{
    struct load_feed *f = ctx;
    pthread_mutex_lock(&f->lock);
    f->ready[f->ready_count++] = b;
    pthread_cond_broadcast(&f->changed);
    while (f->free_count == 0)
        pthread_cond_wait(&f->changed, &f->lock);
    b = f->free[--f->free_count];
    f->reader.batch = b;
    if (failed(f, e))
        b = NULL;
    pthread_mutex_unlock(&f->lock);
    return b;
}

static const char *dataset_candidate(const void *unused, size_t i)
{
    (void)unused;
    return load_dataset_name(i);
}

static const struct load_dataset *find_dataset(const char *name, struct err *e)
{
    const struct load_dataset *d = dataset_find(name);
    if (d != NULL)
        return d;
    const char *near = str_nearest(name, dataset_candidate, NULL);
    err_set(e, ERR_PARAM, "there is no data set \"%s\"%s%s%s", name,
            near == NULL ? "; obstream help load lists them" : "; did you mean ",
            near == NULL ? "" : near, near == NULL ? "" : "?");
    return NULL;
}

bool load_dataset_where(const char *dataset, enum dataset *where, struct err *e)
{
    const struct load_dataset *d = find_dataset(dataset, e);
    for (int i = 0; d != NULL && i < DATASET_COUNT; i++) {
        const char *schema = dataset_name((enum dataset)i);
        size_t n = strlen(schema);
        if (strncmp(d->table, schema, n) == 0 && d->table[n] == '.')
            *where = (enum dataset)i;
    }
    return d != NULL;
}

static bool feed_start(struct load_feed *f, const struct load_dataset *d, struct err *e)
{
    size_t len;
    const char *table = dataset_table(d, f->options.table, &len);
    char name[TABLE_ROOM];
    if (table == NULL)
        return err_set(e, ERR_PARAM, "%s does not load into table \"%s\"; it knows %s%s%s", d->name,
                       f->options.table, d->table, d->siblings == NULL ? "" : ", ",
                       d->siblings == NULL ? "" : d->siblings);
    snprintf(name, sizeof(name), "%.*s", (int)len, table);
    if (!store_open(&f->store, f->options.dsn, &f->reader.plan, e) ||
        !store_check(&f->store, name, &f->reader.plan, e))
        return false;
    f->store.rejects = &f->rejects;
    f->store.stop = f->options.stop;
    int failure = pthread_create(&f->thread, NULL, feed_thread, f);
    if (failure != 0)
        return err_set(e, ERR_INTERNAL, "cannot start a thread: %s", strerror(failure));
    f->running = true;
    return true;
}

static void feed_free(struct load_feed *f)
{
    store_close(&f->store);
    reader_release(&f->reader);
    for (int i = 0; i < LOAD_BATCHES; i++)
        batch_release(&f->batches[i]);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->lock);
    free(f->source);
    free(f);
}

struct load_feed *load_feed_open(const char *dataset, const struct load_options *o, struct err *e)
{
    const struct load_dataset *d = find_dataset(dataset, e);
    struct load_feed *f = d == NULL ? NULL : calloc(1, sizeof(*f));
    if (f == NULL) {
        err_set(e, ERR_INTERNAL, "out of memory");
        return NULL;
    }
    f->options = *o;
    f->source = strdup(o->source == NULL ? d->name : o->source);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    for (int i = 0; i < LOAD_BATCHES; i++) {
        batch_init(&f->batches[i]);
        f->free[f->free_count++] = &f->batches[i];
    }
    bool ok = rejects_init(&f->rejects, o->rejects) ||
              err_set(e, ERR_IO, "cannot replace %s: %s; name another file with --rejects",
                      o->rejects, strerror(errno));
    ok = (reader_init(&f->reader, d, &f->options, &f->rejects) ||
          err_set(e, ERR_INTERNAL, "out of memory")) &&
         ok;
    f->reader.batch = f->free[--f->free_count];
    f->reader.full = exchange;
    f->reader.full_ctx = f;
    if (ok && f->source != NULL && feed_start(f, d, e))
        return f;
    rejects_release(&f->rejects);
    feed_free(f);
    return NULL;
}

bool load_feed_write(struct load_feed *f, const void *bytes, size_t len, struct err *e)
{
    struct err why = ERR_INIT;
    pthread_mutex_lock(&f->lock);
    bool ok = !failed(f, &why);
    pthread_mutex_unlock(&f->lock);
    if (ok && stopped(f))
        err_set(&why, ERR_CANCELLED, "stopped");
    else if (ok && reader_write(&f->reader, bytes, len, &why))
        return true;
    pthread_mutex_lock(&f->lock);
    err_set(&f->error, why.kind, "%s", why.msg);
    pthread_mutex_unlock(&f->lock);
    return err_set(e, why.kind, "%s", why.msg);
}

struct load_counts load_feed_counts(struct load_feed *f)
{
    pthread_mutex_lock(&f->lock);
    struct load_counts c = f->counts;
    pthread_mutex_unlock(&f->lock);
    pthread_mutex_lock(&f->rejects.lock);
    c.rejected = f->rejects.count;
    pthread_mutex_unlock(&f->rejects.lock);
    c.read = f->reader.records;
    return c;
}

bool load_feed_close(struct load_feed *f, struct load_counts *counts, struct err *e)
{
    struct err why = ERR_INIT;
    pthread_mutex_lock(&f->lock);
    bool ok = !failed(f, &why);
    pthread_mutex_unlock(&f->lock);
    ok = ok && reader_finish(&f->reader, &why);
    pthread_mutex_lock(&f->lock);
    if (ok)
        f->ready[f->ready_count++] = f->reader.batch;
    f->ended = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    if (ok && failed(f, &why))
        ok = false;
    if (counts != NULL)
        *counts = load_feed_counts(f);
    const char *path = f->options.rejects;
    if (!rejects_release(&f->rejects))
        ok = err_set(&why, ERR_IO, "cannot write %s: %s; name another file with --rejects", path,
                     strerror(errno));
    feed_free(f);
    return ok || err_set(e, why.kind, "%s", why.msg);
}

const char *load_dataset_name(size_t i)
{
    const struct load_dataset *d = dataset_at(i);
    return d == NULL ? NULL : d->name;
}

const char *load_dataset_help(size_t i)
{
    const struct load_dataset *d = dataset_at(i);
    return d == NULL ? NULL : d->help;
}
