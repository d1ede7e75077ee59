/*
 * What the header of one file means: which field goes to which column. Internal to the loader.
 *
 * A slot is a column that the file has, or that follows from it; rows are encoded slot by slot, in
 * the order of the file's fields, and the COPY lists the columns in that order.
 */
#ifndef OBSTREAM_LOAD_PLAN_H
#define OBSTREAM_LOAD_PLAN_H

#include "dataset.h"
#include "obstream/core/arena.h"
#include "obstream/core/err.h"

enum { FIELD_IGNORED = -1, FIELD_WIDE = -2, SLOT_NONE = -1, PLAN_FIELDS_MAX = 4096 };

struct plan_field {
    const char *name; /* as the header has it */
    int slot;         /* or FIELD_IGNORED, or FIELD_WIDE: a SHEF key whose values stand below */
};

struct plan {
    struct arena arena;
    const struct load_dataset *dataset;
    const char *table; /* qualified, as SQL text */
    struct plan_field *fields;
    unsigned field_count;
    unsigned short sizes[LOAD_COLUMNS_MAX]; /* of the table's columns in characters, 0: any */
    const struct load_column *slots[LOAD_COLUMNS_MAX];
    unsigned slot_count; /* of the table's columns; day parts last */
    bool key[LOAD_COLUMNS_MAX], required[LOAD_COLUMNS_MAX];
    int id, time, newest;     /* slots, or SLOT_NONE */
    int time_field;           /* the field of `time`, or SLOT_NONE */
    int key_slot, value_slot; /* of a wide file */
    bool wide;
    int line_slot;    /* the record's line, in the staging table only; or SLOT_NONE */
    int day_parts[3]; /* slots of sday, year, month that follow from the day */
};

void plan_init(struct plan *p, const struct load_dataset *d);
unsigned plan_size(const struct plan *p, int slot); /* characters at most, 0: any */
void plan_release(struct plan *p);

/* `names` are the header's fields. Columns that mean nothing to the data set are reported through
 * warn() in one message. */
bool plan_header(struct plan *p, const char *table, const char *const *names, unsigned count,
                 void (*warn)(void *ctx, const char *message), void *ctx, struct err *e) MUST_CHECK;

#endif
