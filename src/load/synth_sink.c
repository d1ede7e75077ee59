/* Where made-up rows go: files of a folder, or the loader. */
#include "obstream/load/load.h"
#include "obstream/load/synth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_BUFFER = 1 << 20 };

struct dir_sink {
    struct synth_sink sink;
    FILE *file;
    bool bad; /* a write failed: do not rename */
    char *dir, *path, *part;
};

static void dir_forget(struct dir_sink *d)
{
    free(d->path);
    free(d->part);
    d->path = d->part = NULL;
    d->file = NULL;
}

static bool dir_begin(void *ctx, const struct synth_table_info *t, struct err *e)
{
    struct dir_sink *d = ctx;
    const char *gz = d->sink.gzip ? ".gz" : "";
    d->bad = false;
    if (asprintf(&d->path, "%s/%s.csv%s", d->dir, t->name, gz) < 0)
        d->path = NULL;
    if (d->path == NULL || asprintf(&d->part, "%s.part", d->path) < 0) {
        d->part = NULL;
        dir_forget(d);
        return err_set(e, ERR_INTERNAL, "no memory for the name of a file");
    }
    d->file = fopen(d->part, "w");
    if (d->file == NULL) {
        err_set(e, ERR_IO, "cannot write %s: %s", d->part, strerror(errno));
        dir_forget(d);
        return false;
    }
    setvbuf(d->file, NULL, _IOFBF, FILE_BUFFER);
    return true;
}

static bool dir_write(void *ctx, const void *bytes, size_t n, struct err *e)
{
    struct dir_sink *d = ctx;
    if (fwrite(bytes, 1, n, d->file) == n)
        return true;
    d->bad = true;
    return err_set(e, ERR_IO, "cannot write %s: %s", d->part, strerror(errno));
}

static bool dir_end(void *ctx, struct err *e)
{
    struct dir_sink *d = ctx;
    bool ok = fclose(d->file) == 0 && !d->bad;
    if (ok && rename(d->part, d->path) != 0)
        ok = false;
    if (!ok) {
        err_set(e, ERR_IO, "cannot write %s: %s", d->path, strerror(errno));
        remove(d->part);
    }
    dir_forget(d);
    return ok;
}

struct synth_sink *synth_dir_new(const char *dir, bool gzip, struct err *e)
{
    struct dir_sink *d = calloc(1, sizeof(*d));
    if (d == NULL || (d->dir = strdup(dir)) == NULL) {
        free(d);
        err_set(e, ERR_INTERNAL, "no memory for the output folder");
        return NULL;
    }
    d->sink = (struct synth_sink){ d, gzip, dir_begin, dir_write, dir_end };
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        err_set(e, ERR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
        synth_dir_free(&d->sink);
        return NULL;
    }
    return &d->sink;
}

void synth_dir_free(struct synth_sink *s)
{
    if (s == NULL)
        return;
    struct dir_sink *d = s->ctx;
    free(d->dir);
    free(d);
}

struct load_sink {
    struct synth_sink sink;
    const struct conf *conf;
    struct load_feed *feed;
    bool bad;
};

static void print_warning(void *ctx, const char *message)
{
    (void)ctx;
    fprintf(stderr, "obstream synth: %s\n", message);
}

static bool load_begin(void *ctx, const struct synth_table_info *t, struct err *e)
{
    struct load_sink *l = ctx;
    struct load_options o = { .dsn = conf_dsn(l->conf, t->where),
                              .source = t->name,
                              .warn = print_warning };
    l->bad = false;
    l->feed = load_feed_open(t->feed, &o, e);
    return l->feed != NULL;
}

static bool load_write(void *ctx, const void *bytes, size_t n, struct err *e)
{
    struct load_sink *l = ctx;
    if (!load_feed_write(l->feed, bytes, n, e))
        l->bad = true;
    return !l->bad;
}

static bool load_end(void *ctx, struct err *e)
{
    struct load_sink *l = ctx;
    struct load_counts counts = { 0 };
    bool ok = load_feed_close(l->feed, &counts, e) && !l->bad;
    l->feed = NULL;
    if (ok && counts.rejected > 0)
        return err_set(e, ERR_DATABASE,
                       "%llu made-up rows were rejected by the loader: this is a fault of the "
                       "program, please report it with the options used",
                       (unsigned long long)counts.rejected);
    return ok;
}

struct synth_sink *synth_load_new(const struct conf *conf, struct err *e)
{
    struct load_sink *l = calloc(1, sizeof(*l));
    if (l == NULL) {
        err_set(e, ERR_INTERNAL, "no memory for the loader");
        return NULL;
    }
    l->sink = (struct synth_sink){ l, false, load_begin, load_write, load_end };
    l->conf = conf;
    return &l->sink;
}

void synth_load_free(struct synth_sink *s)
{
    if (s != NULL)
        free(s->ctx);
}
