/*
 * What the loader knows of each data set: its table, columns and keys, and which headers mean what.
 * Internal to the loader. A new data set is one row of columns and one row in dataset.c.
 */
#ifndef OBSTREAM_LOAD_DATASET_H
#define OBSTREAM_LOAD_DATASET_H

#include "value.h"

enum column_flag {
    COL_NOT_NULL = 1, /* where the file has it */
    COL_MARKS = 2,    /* the IEM services print M for null and T for a trace */
    COL_NO_COMMA = 4,
    COL_HASHED = 8, /* a long text whose hash stands for it in the unique index */
    COL_LON = 16,   /* degrees, -180 to 180 */
    COL_LAT = 32,   /* degrees, -90 to 90 */
};

struct load_column {
    const char *name;
    enum value_type type;
    unsigned char flags;
    unsigned short size; /* characters at most, 0: no limit */
    const char *aliases; /* other headers of the column, comma separated; or NULL */
};

enum partition_unit { PARTITION_NONE, PARTITION_YEAR, PARTITION_MONTH, PARTITION_PREFIX };

enum { LOAD_COLUMNS_MAX = 96 };

struct load_dataset {
    const char *name, *help;
    const char *table;
    const char *siblings; /* other tables of the same columns, comma separated; or NULL */
    const struct load_column *columns;
    unsigned count;
    const char *key;        /* columns that identify a row, comma separated */
    const char *required;   /* columns a file must have, and never null; likewise */
    const char *second_key; /* a column that is unique by itself as well; or NULL */
    enum partition_unit partition;
    bool multiset;  /* a key may hold several rows: a load replaces them together */
    bool wide;      /* headers that are no columns are SHEF keys when `key` is missing */
    const char *id; /* with `time`: what a batch is looked up by; or NULL */
    const char *time;
    const char *newest;  /* a row does not replace one with a later value here; or NULL */
    const char *ignored; /* headers that services add, comma separated, * at the end for any */
    bool day_parts;      /* sday, year and month follow from day where the file lacks them */
    const char *after;   /* SQL to run when rows were loaded; or NULL */
};

const struct load_dataset *dataset_find(const char *name); /* NULL: there is none */
const struct load_dataset *dataset_at(size_t i);           /* NULL at the end */

/* The column of that name, or alias, ASCII case folded; -1: none. */
int dataset_column(const struct load_dataset *d, const char *name, size_t len);
bool dataset_ignores(const struct load_dataset *d, const char *name, size_t len);

/* The qualified name of the table or of a sibling given with or without schema; NULL: unknown. The
 * text is the data set's own; *len is its length. */
const char *dataset_table(const struct load_dataset *d, const char *table, size_t *len);

/* Is `word` an item of the comma separated list? An item that ends in * takes any rest. */
bool word_in(const char *list, const char *word, size_t len);

#endif
