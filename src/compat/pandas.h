/*
 * How Python and pandas print floats, fields and tables. Known from their documented behaviour
 * (csv.QUOTE_MINIMAL, DataFrame.to_csv, DataFrame.to_html with its precision of 6 digits) and from
 * recorded answers.
 */
#ifndef OBSTREAM_COMPAT_PANDAS_H
#define OBSTREAM_COMPAT_PANDAS_H

#include "obstream/core/buf.h"

/* repr(v), see iem_put_repr(). */
void pandas_add_float(struct buf *out, double v);

/* A field of delimited text, in quotes where the delimiter, a quote or a line end would mislead. */
void pandas_add_field(struct buf *out, const char *s, size_t len, char delimiter);

/* 2024-06-01 12:00:00 with .ffffff only when there are microseconds, or 2024-06-01; the longer one
 * in quotes where wanted (it holds a blank). */
void pandas_add_time(struct buf *out, int64_t usec, bool day_only, bool quoted);

/* HTML: text with & < > escaped, and a whole cell with it ("td", "th"). */
void pandas_add_html(struct buf *out, const char *s, size_t len);
void pandas_add_cell(struct buf *out, const char *tag, const char *s, size_t len);

/* What stands before the cells of the first header row, between header and body, at the end. */
#define PANDAS_HTML_BEGIN                                                                          \
    "<table border=\"1\" class=\"dataframe\">\n  <thead>\n    <tr style=\"text-align: right;\">\n"
#define PANDAS_HTML_BODY "    </tr>\n  </thead>\n  <tbody>\n"
#define PANDAS_HTML_END "  </tbody>\n</table>"

/*
 * A column of floats in to_html(): all have as many decimals as the longest needs (1 to 6), or all
 * have an exponent when one is too small for six decimals, or one is great and the texts are long.
 * All values are noted first, then printed.
 */
struct pandas_column {
    int decimals;      /* that the values noted need */
    size_t whole;      /* the longest part before the point */
    bool great, small; /* above 1e6, below 1e-6 */
};

void pandas_column_note(struct pandas_column *c, double v);
void pandas_column_print(const struct pandas_column *c, double v, struct buf *out);

#endif
