/*
 * Bytes of a CSV file to encoded rows. Internal to the loader.
 *
 * The bytes are fed to libcsv line by line, so that every record's line is known, and a record that
 * a stray quote made swallow the lines after it costs one line only: the rest is read again.
 */
#ifndef OBSTREAM_LOAD_READER_H
#define OBSTREAM_LOAD_READER_H

#include "batch.h"
#include "obstream/load/load.h"
#include "rejects.h"

#include <csv.h>

enum { REASON_MAX = 256 };

struct reader {
    struct plan plan;
    const struct load_options *options;
    struct csv_parser csv;
    struct rejects *rejects;
    bool headed, ended, finished, preamble; /* preamble: # lines stood before the header */
    uint64_t lines;                         /* physical lines taken so far */
    uint64_t line;                          /* first one of the record */
    uint64_t records;
    struct buf partial; /* a line whose end has not come yet */
    struct buf record;  /* the lines of an open record */
    struct buf again;   /* lines to be read again, from again_pos on */
    size_t again_pos;
    /* the header's fields */
    const char **names;
    unsigned name_count;
    /* the record at work */
    struct batch *batch;
    unsigned field;
    uint32_t start, at[LOAD_COLUMNS_MAX];
    bool bad, overlong; /* overlong: perhaps for want of a quote */
    char reason[REASON_MAX];
    struct buf wide; /* of a wide file: field number and encoded value, pair by pair */
    /* what to do with a full batch: takes it and returns the next one; NULL: the load ended */
    struct batch *(*full)(void *ctx, struct batch *b, struct err *e);
    void *full_ctx;
};

bool reader_init(struct reader *r, const struct load_dataset *d, const struct load_options *o,
                 struct rejects *rejects);
void reader_release(struct reader *r);

bool reader_write(struct reader *r, const char *bytes, size_t len, struct err *e) MUST_CHECK;
bool reader_finish(struct reader *r, struct err *e) MUST_CHECK; /* the last line may lack its end */

/* Internal: the record at work, in record.c. */
void record_begin(struct reader *r);
void record_field(struct reader *r, const char *s, size_t len); /* s NULL: null */
bool record_end(struct reader *r, const char *raw, size_t len, struct err *e);

#endif
