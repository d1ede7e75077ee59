#include "zipfile.h"

#include "obstream/core/civil.h"
#include "obstream/stream/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <minizip/zip.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    READ_BLOCK = 32 << 10,
    STORED = 0,
    MADE_ON_UNIX = 3 << 8 | 20,
    FILE_MODE = 0100600, /* in the upper half of the external attributes */
    NAME_IS_UTF8 = 1 << 11,
};

struct zipfile {
    zipFile file;
    char *path;
    int fd;
    bool member; /* one is open */
    struct err err;
};

static bool open_file(struct zipfile *z, const char *dir, struct err *e)
{
    if (asprintf(&z->path, "%s/obstream-XXXXXX", dir) < 0) {
        z->path = NULL;
        return err_set(e, ERR_INTERNAL, "out of memory for a zip file");
    }
    z->fd = mkostemp(z->path, O_CLOEXEC);
    if (z->fd < 0) {
        err_set(e, ERR_IO, "cannot write to %s (stream.spool_dir): %s", dir, strerror(errno));
        free(z->path);
        z->path = NULL;
        return false;
    }
    z->file = zipOpen64(z->path, APPEND_STATUS_CREATE);
    return z->file != NULL ||
           err_set(e, ERR_IO, "a zip file cannot be begun in %s (stream.spool_dir)", dir);
}

struct zipfile *zipfile_new(const char *dir, struct err *e)
{
    struct zipfile *z = calloc(1, sizeof(*z));
    if (z == NULL) {
        err_set(e, ERR_INTERNAL, "out of memory for a zip file");
        return NULL;
    }
    z->fd = -1;
    if (open_file(z, dir, e))
        return z;
    zipfile_free(z);
    return NULL;
}

void zipfile_free(struct zipfile *z)
{
    if (z == NULL)
        return;
    if (z->file != NULL)
        zipClose(z->file, NULL);
    if (z->fd >= 0)
        close(z->fd);
    if (z->path != NULL)
        unlink(z->path);
    free(z->path);
    free(z);
}

static void note(struct zipfile *z, int code)
{
    if (code != ZIP_OK)
        err_set(&z->err, ERR_IO, "the zip file cannot be written (stream.spool_dir full?): %d",
                code);
}

static void end_member(struct zipfile *z)
{
    if (z->member)
        note(z, zipCloseFileInZip(z->file));
    z->member = false;
}

static bool is_ascii(const char *s)
{
    while (*s > 0)
        s++;
    return *s == '\0';
}

void zipfile_begin(struct zipfile *z, const char *name, int64_t now)
{
    struct civil c = civil_from_usec(now);
    zip_fileinfo info = {
        .tmz_date = { .tm_sec = c.second,
                      .tm_min = c.minute,
                      .tm_hour = c.hour,
                      .tm_mday = c.day,
                      .tm_mon = c.month - 1,
                      .tm_year = c.year },
        .external_fa = (uLong)FILE_MODE << 16,
    };
    end_member(z);
    if (z->err.kind != ERR_NONE)
        return;
    int code = zipOpenNewFileInZip4_64(z->file, name, &info, NULL, 0, NULL, 0, NULL, STORED, 0, 0,
                                       -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, NULL, 0,
                                       MADE_ON_UNIX, is_ascii(name) ? 0 : NAME_IS_UTF8, 0);
    note(z, code);
    z->member = code == ZIP_OK;
}

void zipfile_add(struct zipfile *z, const void *p, size_t len)
{
    const char *s = p;
    while (len > 0 && z->err.kind == ERR_NONE) {
        unsigned n = len < INT_MAX ? (unsigned)len : INT_MAX;
        note(z, zipWriteInFileInZip(z->file, s, n));
        s += n;
        len -= n;
    }
}

bool zipfile_good(const struct zipfile *z)
{
    return z->err.kind == ERR_NONE;
}

static bool send_file(struct zipfile *z, struct sink *sink, struct err *e)
{
    char block[READ_BLOCK];
    off_t pos = 0;
    ssize_t n;
    while ((n = pread(z->fd, block, sizeof(block), pos)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(e, ERR_IO, "cannot read the zip file back: %s", strerror(errno));
        sink_write(sink, block, (size_t)n);
        if (sink->err.kind != ERR_NONE)
            return err_set(e, sink->err.kind, "%s", sink->err.msg);
        pos += n;
    }
    return true;
}

bool zipfile_send(struct zipfile *z, struct sink *sink, struct err *e)
{
    end_member(z);
    note(z, zipClose(z->file, NULL));
    z->file = NULL;
    if (z->err.kind != ERR_NONE)
        return err_set(e, z->err.kind, "%s", z->err.msg);
    return send_file(z, sink, e);
}
