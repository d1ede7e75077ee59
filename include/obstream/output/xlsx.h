/*
 * A spreadsheet (Office Open XML, .xlsx) of one sheet, written row after row in constant memory:
 * libxlsxwriter keeps the rows in temporary files below `dir` (conf->spool_dir) until the whole is
 * packed.
 *
 *     struct xlsx *x = xlsx_new(dir, "Data", e);
 *     ok = x != NULL;
 *     while (ok && more) {
 *         ok = xlsx_row(x);                 the next row; its cells fill from the left
 *         xlsx_text(x, id, len);
 *         xlsx_number(x, 9.25);
 *     }
 *     fd = ok ? xlsx_pack(x, e) : -1;       the file, from its beginning
 *     xlsx_free(x);                         always; removes what is left in dir
 *
 * Failure is sticky: cells may be filled in without looking, xlsx_row() says whether it makes sense
 * to go on, xlsx_pack() reports the first failure. A sheet ends at 1,048,576 rows and 16,384
 * columns, a text at 32,767 characters: what does not fit is ERR_UNPROCESSABLE, never left out.
 */
#ifndef OBSTREAM_OUTPUT_XLSX_H
#define OBSTREAM_OUTPUT_XLSX_H

#include "obstream/core/err.h"
#include "obstream/query/cell.h"

#include <stddef.h>

struct xlsx;

/* NULL after a failure. */
struct xlsx *xlsx_new(const char *dir, const char *sheet, struct err *e) MUST_CHECK;
void xlsx_free(struct xlsx *x); /* NULL is allowed */

/* Starts the first or next row; false once something has failed. */
bool xlsx_row(struct xlsx *x);

/* Each fills the next cell of the row. */
void xlsx_skip(struct xlsx *x);
void xlsx_text(struct xlsx *x, const char *s, size_t len);
void xlsx_puts(struct xlsx *x, const char *s); /* NULL: skipped */
void xlsx_number(struct xlsx *x, double v);    /* NaN: skipped; an infinity is the text inf, -inf */
void xlsx_bool(struct xlsx *x, bool v);
void xlsx_instant(struct xlsx *x, int64_t usec); /* UTC, shown as 2024-06-01 12:00:00 */
void xlsx_day(struct xlsx *x, int64_t days);     /* shown as 2024-06-01 */

/* The same by the type of the cell: null is skipped, float4 is widened as number_widen() does, an
 * interval is a number of days. */
void xlsx_cell(struct xlsx *x, const struct cell *c);

/* Makes one cell of those that stand below each other in `col`, rows first to last, both counted
 * from 0 and already written; only the first may hold anything. One row alone stays as it is, and
 * so does what exceeds the 65,535 merged cells of a sheet. */
void xlsx_merge_rows(struct xlsx *x, unsigned col, uint32_t first, uint32_t last);

/* The number of the row being filled, from 0. */
uint32_t xlsx_row_number(const struct xlsx *x);

/* Packs the sheet into one file, open for reading and without a name once xlsx_free() ran. The
 * descriptor stays with x: dup() one that is to outlive it. -1 after a failure. */
int xlsx_pack(struct xlsx *x, struct err *e) MUST_CHECK;

/* Whether something has failed; says what. */
bool xlsx_failed(const struct xlsx *x, struct err *e);

#endif
