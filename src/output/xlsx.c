#include "obstream/output/xlsx.h"

#include "obstream/core/buf.h"
#include "obstream/core/civil.h"
#include "obstream/core/number.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <xlsxwriter.h>

enum { EPOCH_SERIAL = 25569 }; /* 1970-01-01 as a spreadsheet counts days */

struct xlsx {
    lxw_workbook *book;
    lxw_worksheet *sheet;
    lxw_format *instant, *day;
    uint32_t rows; /* begun so far */
    lxw_col_t col; /* of the next cell */
    struct buf text;
    char *path;
    int fd;
    struct err err;
};

static bool open_file(struct xlsx *x, const char *dir, struct err *e)
{
    if (asprintf(&x->path, "%s/obstream-XXXXXX", dir) < 0) {
        x->path = NULL;
        return err_set(e, ERR_INTERNAL, "out of memory for a spreadsheet");
    }
    x->fd = mkostemp(x->path, O_CLOEXEC);
    if (x->fd >= 0)
        return true;
    err_set(e, ERR_IO, "cannot write to %s (stream.spool_dir): %s", dir, strerror(errno));
    free(x->path);
    x->path = NULL;
    return false;
}

static bool open_book(struct xlsx *x, const char *dir, const char *name, struct err *e)
{
    lxw_workbook_options options = { .constant_memory = LXW_TRUE, .tmpdir = (char *)dir };
    x->book = workbook_new_opt(x->path, &options);
    if (x->book != NULL) {
        x->sheet = workbook_add_worksheet(x->book, name);
        x->instant = workbook_add_format(x->book);
        x->day = workbook_add_format(x->book);
    }
    if (x->sheet == NULL || x->instant == NULL || x->day == NULL)
        return err_set(e, ERR_IO, "a spreadsheet cannot be begun in %s (stream.spool_dir)", dir);
    format_set_num_format(x->instant, "YYYY-MM-DD HH:MM:SS");
    format_set_num_format(x->day, "YYYY-MM-DD");
    return true;
}

struct xlsx *xlsx_new(const char *dir, const char *sheet, struct err *e)
{
    struct xlsx *x = calloc(1, sizeof(*x));
    if (x == NULL) {
        err_set(e, ERR_INTERNAL, "out of memory for a spreadsheet");
        return NULL;
    }
    x->fd = -1;
    buf_init(&x->text, BUF_LIMIT_MESSAGE);
    if (open_file(x, dir, e) && open_book(x, dir, sheet, e))
        return x;
    xlsx_free(x);
    return NULL;
}

void xlsx_free(struct xlsx *x)
{
    if (x == NULL)
        return;
    if (x->book != NULL)
        lxw_workbook_free(x->book);
    if (x->fd >= 0)
        close(x->fd);
    if (x->path != NULL)
        unlink(x->path);
    free(x->path);
    buf_release(&x->text);
    free(x);
}

bool xlsx_row(struct xlsx *x)
{
    if (x->rows == LXW_ROW_MAX)
        err_set(&x->err, ERR_UNPROCESSABLE,
                "the answer has more rows than a spreadsheet can hold (%d): ask for text, or for "
                "less time or fewer stations",
                LXW_ROW_MAX);
    if (x->err.kind != ERR_NONE)
        return false;
    x->rows++;
    x->col = 0;
    return true;
}

uint32_t xlsx_row_number(const struct xlsx *x)
{
    return x->rows - 1;
}

/* The place of the next cell; false when nothing may be written. */
static bool next_cell(struct xlsx *x, lxw_col_t *col)
{
    if (x->col == LXW_COL_MAX)
        err_set(&x->err, ERR_UNPROCESSABLE,
                "the answer has more columns than a spreadsheet can hold (%d): ask for text, or "
                "for fewer stations",
                LXW_COL_MAX);
    if (x->err.kind != ERR_NONE)
        return false;
    *col = x->col++;
    return true;
}

static void note(struct xlsx *x, lxw_error code)
{
    if (code == LXW_ERROR_MAX_STRING_LENGTH_EXCEEDED)
        err_set(&x->err, ERR_UNPROCESSABLE,
                "a text of row %u is longer than a spreadsheet can hold (32767 characters): ask "
                "for text",
                x->rows);
    else if (code != LXW_NO_ERROR)
        err_set(&x->err, ERR_INTERNAL, "row %u of the spreadsheet cannot be written: %s", x->rows,
                lxw_strerror(code));
}

void xlsx_skip(struct xlsx *x)
{
    lxw_col_t col;
    next_cell(x, &col);
}

void xlsx_text(struct xlsx *x, const char *s, size_t len)
{
    lxw_col_t col;
    buf_clear(&x->text);
    buf_add(&x->text, s, len);
    if (x->text.failed)
        err_set(&x->err, ERR_INTERNAL, "out of memory for a spreadsheet");
    if (next_cell(x, &col) && len > 0)
        note(x, worksheet_write_string(x->sheet, x->rows - 1, col, x->text.data, NULL));
}

void xlsx_puts(struct xlsx *x, const char *s)
{
    if (s != NULL)
        xlsx_text(x, s, strlen(s));
    else
        xlsx_skip(x);
}

void xlsx_number(struct xlsx *x, double v)
{
    lxw_col_t col;
    if (isinf(v))
        xlsx_puts(x, v < 0 ? "-inf" : "inf");
    else if (next_cell(x, &col) && !isnan(v))
        note(x, worksheet_write_number(x->sheet, x->rows - 1, col, v, NULL));
}

void xlsx_bool(struct xlsx *x, bool v)
{
    lxw_col_t col;
    if (next_cell(x, &col))
        note(x, worksheet_write_boolean(x->sheet, x->rows - 1, col, v, NULL));
}

void xlsx_instant(struct xlsx *x, int64_t usec)
{
    lxw_col_t col;
    double days = (double)usec / (double)USEC_PER_DAY + EPOCH_SERIAL;
    if (next_cell(x, &col))
        note(x, worksheet_write_number(x->sheet, x->rows - 1, col, days, x->instant));
}

void xlsx_day(struct xlsx *x, int64_t days)
{
    lxw_col_t col;
    if (next_cell(x, &col))
        note(x, worksheet_write_number(x->sheet, x->rows - 1, col, (double)days + EPOCH_SERIAL,
                                       x->day));
}

void xlsx_cell(struct xlsx *x, const struct cell *c)
{
    switch (c->type) {
    case CELL_NULL:
        xlsx_skip(x);
        break;
    case CELL_FLOAT4:
        xlsx_number(x, number_widen(c->f4));
        break;
    case CELL_FLOAT8:
        xlsx_number(x, c->f8);
        break;
    case CELL_INT:
        xlsx_number(x, (double)c->i);
        break;
    case CELL_BOOL:
        xlsx_bool(x, c->i != 0);
        break;
    case CELL_TEXT:
        xlsx_text(x, c->s, c->len);
        break;
    case CELL_INSTANT:
        xlsx_instant(x, c->i);
        break;
    case CELL_DAY:
        xlsx_day(x, c->i);
        break;
    case CELL_INTERVAL:
        xlsx_number(x, (double)c->i / (double)USEC_PER_DAY);
        break;
    }
}

/* The library's own function writes blanks into the cells below, which in constant memory would
 * end the rows before they are filled. Its list of merged cells is all that is needed. */
void xlsx_merge_rows(struct xlsx *x, unsigned col, uint32_t first, uint32_t last)
{
    if (last <= first || x->err.kind != ERR_NONE || x->sheet->merged_range_count == UINT16_MAX)
        return;
    lxw_merged_range *range = calloc(1, sizeof(*range));
    if (range == NULL) {
        err_set(&x->err, ERR_INTERNAL, "out of memory for a spreadsheet");
        return;
    }
    range->first_row = first;
    range->last_row = last;
    range->first_col = range->last_col = (lxw_col_t)col;
    STAILQ_INSERT_TAIL(x->sheet->merged_ranges, range, list_pointers);
    x->sheet->merged_range_count++;
}

/* libxlsxwriter asks gmtime() for the document's date, which threads share. */
static lxw_error close_book(lxw_workbook *book)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    lxw_error code = workbook_close(book); /* frees it, whatever happens */
    pthread_mutex_unlock(&lock);
    return code;
}

int xlsx_pack(struct xlsx *x, struct err *e)
{
    if (x->err.kind != ERR_NONE) {
        err_set(e, x->err.kind, "%s", x->err.msg);
        return -1;
    }
    lxw_error code = close_book(x->book);
    x->book = NULL;
    if (code == LXW_NO_ERROR)
        return x->fd;
    err_set(e, ERR_IO, "the spreadsheet cannot be packed (stream.spool_dir full?): %s",
            lxw_strerror(code));
    return -1;
}

bool xlsx_failed(const struct xlsx *x, struct err *e)
{
    if (x->err.kind != ERR_NONE)
        err_set(e, x->err.kind, "%s", x->err.msg);
    return x->err.kind != ERR_NONE;
}
