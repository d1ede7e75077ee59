#include "rejects.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rejects_init(struct rejects *r, const char *path)
{
    *r = (struct rejects){ .path = path == NULL ? NULL : strdup(path) };
    pthread_mutex_init(&r->lock, NULL);
    if (path == NULL)
        return true;
    return r->path != NULL && (unlink(path) == 0 || errno == ENOENT);
}

static bool rejects_open(struct rejects *r)
{
    if (r->path == NULL || r->failed)
        return false;
    if (r->file == NULL) {
        r->file = fopen(r->path, "we");
        r->failed = r->file == NULL || fputs("line,reason,record\n", r->file) == EOF;
    }
    return !r->failed;
}

void rejects_add(struct rejects *r, uint64_t line, const char *reason, const char *record,
                 size_t len)
{
    pthread_mutex_lock(&r->lock);
    r->count++;
    while (len > 0 && (record[len - 1] == '\n' || record[len - 1] == '\r'))
        len--;
    if (rejects_open(r)) {
        r->failed = fprintf(r->file, "%" PRIu64 ",", line) < 0 ||
                    csv_fwrite(r->file, reason, strlen(reason)) == EOF ||
                    fputc(',', r->file) == EOF || csv_fwrite(r->file, record, len) == EOF ||
                    fputc('\n', r->file) == EOF;
    }
    pthread_mutex_unlock(&r->lock);
}

bool rejects_release(struct rejects *r)
{
    bool ok = !r->failed;
    if (r->file != NULL && fclose(r->file) != 0)
        ok = false;
    free(r->path);
    pthread_mutex_destroy(&r->lock);
    *r = (struct rejects){ .path = NULL };
    return ok;
}
