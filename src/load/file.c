/* Files and standard input, plain or gzip, into a feed. */
#include "obstream/load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 256 << 10 };

/* zlib passes what does not start with gzip's magic bytes through unchanged. */
static gzFile open_input(const char *path, struct err *e)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? dup(STDIN_FILENO) : -1;
    gzFile in = standard ? gzdopen(fd, "rb") : gzopen(path, "rbe");
    if (in == NULL) {
        err_set(e, ERR_IO, "cannot read %s: %s", path, strerror(errno == 0 ? ENOMEM : errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    gzbuffer(in, PIECE);
    return in;
}

static bool input_failed(gzFile in, const char *path, struct err *e)
{
    int code;
    const char *why = gzerror(in, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return false;
    err_set(e, ERR_IO, "cannot read %s: %s%s", path, code == Z_ERRNO ? strerror(errno) : why,
            code == Z_BUF_ERROR ? " (the file is cut short)" : "");
    return true;
}

static bool pump(gzFile in, struct load_feed *f, const char *path,
                 void (*progress)(void *ctx, const struct load_counts *c), void *ctx, struct err *e)
{
    char *piece = malloc(PIECE);
    bool ok = piece != NULL || err_set(e, ERR_INTERNAL, "out of memory");
    while (ok) {
        int n = gzread(in, piece, PIECE);
        if (n > 0)
            ok = load_feed_write(f, piece, (size_t)n, e);
        if (n < PIECE && input_failed(in, path, e))
            ok = false;
        if (n <= 0)
            break;
        if (progress != NULL) {
            struct load_counts c = load_feed_counts(f);
            progress(ctx, &c);
        }
    }
    free(piece);
    return ok;
}

bool load_file(const char *dataset, const char *path, const struct load_options *o,
               void (*progress)(void *ctx, const struct load_counts *c), void *progress_ctx,
               struct load_counts *counts, struct err *e)
{
    *counts = (struct load_counts){ 0 };
    gzFile in = open_input(path, e);
    if (in == NULL)
        return false;
    struct load_feed *f = load_feed_open(dataset, o, e);
    bool ok = f != NULL && pump(in, f, path, progress, progress_ctx, e);
    gzclose(in);
    if (f == NULL)
        return false;
    struct err later = ERR_INIT;
    if (!load_feed_close(f, counts, &later) && ok)
        ok = err_set(e, later.kind, "%s", later.msg);
    return ok;
}
