/* The file of rejected records: CSV of line, reason, record. Internal to the loader. */
#ifndef OBSTREAM_LOAD_REJECTS_H
#define OBSTREAM_LOAD_REJECTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rejects {
    pthread_mutex_t lock; /* the database's thread rejects as well */
    char *path;           /* NULL: rejects are only counted */
    FILE *file;           /* NULL until the first */
    uint64_t count;
    bool failed;
};

/* Removes what an earlier run left at `path`. */
bool rejects_init(struct rejects *r, const char *path);
void rejects_add(struct rejects *r, uint64_t line, const char *reason, const char *record,
                 size_t len);

/* False when the file could not be written; errno tells. */
bool rejects_release(struct rejects *r);

#endif
