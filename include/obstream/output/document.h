/*
 * Formats that can only be made as a whole: a spreadsheet's file knows its length first. Their
 * encoders write rows in a plain form of their own, so that rows are fetched, ordered and limited
 * like those of any other format; the joined bytes are then fed to a document, in order and in
 * pieces of any size, and the finished file is what is sent. Memory is bounded, the rest lies in
 * temporary files.
 */
#ifndef OBSTREAM_OUTPUT_DOCUMENT_H
#define OBSTREAM_OUTPUT_DOCUMENT_H

#include "obstream/core/err.h"
#include "obstream/output/field.h"

struct document;

struct document_class {
    /* Temporary files lie in `dir`; the shape outlives the document. NULL after a failure. */
    struct document *(*begin)(const struct shape *shape, const char *dir, struct err *e);
    bool (*feed)(struct document *d, const void *p, size_t n, struct err *e);
    /* A descriptor of the finished file, the caller's to close, at its beginning; -1 after a
     * failure. May take seconds. */
    int (*finish)(struct document *d, struct err *e);
    void (*free)(struct document *d); /* NULL is allowed */
};

#endif
