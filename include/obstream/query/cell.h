/*
 * One value on its way from the database to an encoder. Text is not owned and not terminated: it
 * lives as long as the row.
 */
#ifndef OBSTREAM_QUERY_CELL_H
#define OBSTREAM_QUERY_CELL_H

#include <stdbool.h>
#include <stdint.h>

enum cell_type {
    CELL_NULL,
    CELL_FLOAT4,   /* f4 */
    CELL_FLOAT8,   /* f8 */
    CELL_INT,      /* i */
    CELL_BOOL,     /* i is 0 or 1 */
    CELL_TEXT,     /* s, len; UTF-8 as the database gave it */
    CELL_INSTANT,  /* i: microseconds since 1970-01-01T00:00:00Z */
    CELL_DAY,      /* i: days since 1970-01-01 */
    CELL_INTERVAL, /* i: microseconds; months count 30 days, as in interval arithmetic */
};

struct cell {
    enum cell_type type;
    uint32_t len;
    union {
        float f4;
        double f8;
        int64_t i;
        const char *s;
    };
};

static inline struct cell cell_null(void)
{
    return (struct cell){ .type = CELL_NULL, .s = "" };
}

static inline struct cell cell_text(const char *s, uint32_t len)
{
    return (struct cell){ .type = CELL_TEXT, .len = len, .s = s };
}

static inline struct cell cell_int(int64_t v)
{
    return (struct cell){ .type = CELL_INT, .i = v };
}

static inline struct cell cell_float8(double v)
{
    return (struct cell){ .type = CELL_FLOAT8, .f8 = v };
}

#endif
