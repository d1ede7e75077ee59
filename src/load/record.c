/* One record: its fields to slots of a tuple, or to tuples when the file is wide. */
#include "obstream/core/civil.h"
#include "obstream/core/number.h"
#include "reader.h"

#include <endian.h>
#include <stdio.h>

static const char trace_text[] = "0.0001"; /* what the archive holds for a trace */

void record_begin(struct reader *r)
{
    uint16_t count = htobe16((uint16_t)r->plan.slot_count);
    r->field = 0;
    r->bad = r->overlong = false;
    r->reason[0] = '\0';
    buf_clear(&r->wide);
    if (r->batch == NULL)
        return;
    r->start = (uint32_t)r->batch->rows.len;
    buf_add(&r->batch->rows, &count, sizeof(count));
}

/* The first fault of a record is reported; the value is shown cut, without line ends. */
static void reject(struct reader *r, const char *column, const char *s, size_t len, const char *why)
{
    enum { SHOWN = 40 };
    char shown[SHOWN + 1];
    size_t n = 0;
    for (; n < len && n < SHOWN; n++)
        shown[n] = (unsigned char)s[n] < ' ' || s[n] == '\x7f' ? ' ' : s[n];
    shown[n] = '\0';
    if (!r->bad)
        snprintf(r->reason, sizeof(r->reason), "column %s: \"%s%s\" %s", column, shown,
                 len > SHOWN ? "..." : "", why);
    r->bad = true;
}

static bool is_mark(const struct load_column *c, const char *s, size_t len, char mark)
{
    return (c->flags & COL_MARKS) && len == 1 && s[0] == mark;
}

static const char *check_degrees(const struct load_column *c, const char *encoded)
{
    double v, most = c->flags & COL_LON ? 180 : 90;
    int64_t bits = value_read_int(encoded);
    memcpy(&v, &bits, sizeof(v));
    return v >= -most && v <= most ? NULL : "is not within the degrees there are";
}

static void encode_slot(struct reader *r, int slot, const char *s, size_t len)
{
    const struct load_column *c = r->plan.slots[slot];
    bool needed = r->plan.required[slot] || (c->flags & COL_NOT_NULL);
    r->at[slot] = (uint32_t)r->batch->rows.len;
    if (s != NULL && is_mark(c, s, len, 'M'))
        s = NULL;
    if (s == NULL) {
        value_null(&r->batch->rows);
        if (needed && !r->bad)
            snprintf(r->reason, sizeof(r->reason), "column %s is empty", c->name);
        r->bad = r->bad || needed;
        return;
    }
    if (c->type == VALUE_FLOAT4 && is_mark(c, s, len, 'T')) {
        s = trace_text;
        len = sizeof(trace_text) - 1;
    }
    const char *why = value_encode(c->type, plan_size(&r->plan, slot), s, len, &r->batch->rows);
    if (why == NULL && (c->flags & (COL_LON | COL_LAT)))
        why = check_degrees(c, r->batch->rows.data + r->at[slot]);
    if (why == NULL && (c->flags & COL_NO_COMMA) && memchr(s, ',', len) != NULL)
        why = "holds a comma, which services could not print";
    if (why != NULL) {
        r->overlong = c->size != 0 && len > plan_size(&r->plan, slot);
        reject(r, c->name, s, len, why);
    }
}

static void keep_wide(struct reader *r, const char *s, size_t len)
{
    uint32_t field = r->field;
    size_t start = r->wide.len;
    if (s == NULL)
        return;
    buf_add(&r->wide, &field, sizeof(field));
    const char *why = value_encode(VALUE_FLOAT4, 0, s, len, &r->wide);
    if (why != NULL) {
        r->wide.len = start;
        reject(r, r->plan.fields[r->field].name, s, len, why);
    }
}

void record_field(struct reader *r, const char *s, size_t len)
{
    if (r->field < r->plan.field_count && !r->bad && r->batch != NULL) {
        int slot = r->plan.fields[r->field].slot;
        if (slot >= 0)
            encode_slot(r, slot, s, len);
        else if (slot == FIELD_WIDE)
            keep_wide(r, s, len);
    }
    r->field++;
}

static void add_derived(struct reader *r)
{
    const struct plan *p = &r->plan;
    struct buf *out = &r->batch->rows;
    if (p->line_slot != SLOT_NONE) {
        r->at[p->line_slot] = (uint32_t)out->len;
        value_int(out, (int64_t)r->line, 8);
    }
    if (!p->dataset->day_parts)
        return;
    int year, month, day;
    civil_from_days(value_read_day(out->data + r->at[p->time]), &year, &month, &day);
    char sday[4];
    number_2(number_2(sday, month), day);
    for (int i = 0; i < 3; i++) {
        int slot = p->day_parts[i];
        if (slot == SLOT_NONE)
            continue;
        r->at[slot] = (uint32_t)out->len;
        if (i == 0)
            value_encode(VALUE_CHAR, sizeof(sday), sday, sizeof(sday), out);
        else
            value_int(out, i == 1 ? year : month, i == 1 ? 4 : 2);
    }
}

static void add_row(struct reader *r)
{
    int slot = 0;
    const char *why = batch_add(r->batch, &r->plan, r->start, r->at, &slot);
    if (why == NULL)
        return;
    const char *p = r->batch->rows.data + r->at[slot];
    const struct load_column *c = r->plan.slots[slot];
    char shown[NUMBER_ROOM];
    size_t len = (size_t)value_length(p);
    if (c->type == VALUE_ID)
        memcpy(shown, p + sizeof(uint32_t), len = len < sizeof(shown) ? len : sizeof(shown));
    else if (c->type == VALUE_DAY)
        len = (size_t)(number_day(shown, value_read_day(p)) - shown);
    else
        len = (size_t)(number_instant(shown, value_read_instant(p)) - shown);
    reject(r, c->name, shown, len, why);
}

/* One row for each value; id and time are those that the record's own fields encoded. */
static void add_wide_rows(struct reader *r)
{
    const struct plan *p = &r->plan;
    struct buf *out = &r->batch->rows;
    uint32_t first = r->start, head = (uint32_t)out->len - first;
    for (size_t pos = 0; pos < r->wide.len && !r->bad;) {
        uint32_t field;
        memcpy(&field, r->wide.data + pos, sizeof(field));
        const char *value = r->wide.data + pos + sizeof(field);
        const char *key = p->fields[field].name;
        if (pos != 0) { /* the first row starts with what the record has encoded */
            uint32_t moved = (uint32_t)out->len - r->start;
            r->start = (uint32_t)out->len;
            if (buf_tail(out, head) == NULL)
                return;
            buf_add(out, out->data + first, head);
            for (unsigned i = 0; i + 2 < p->slot_count; i++)
                r->at[i] += moved;
        }
        r->at[p->key_slot] = (uint32_t)out->len;
        value_encode(VALUE_ID, 0, key, strlen(key), out);
        r->at[p->value_slot] = (uint32_t)out->len;
        buf_add(out, value, sizeof(uint32_t) + sizeof(float));
        pos += 2 * sizeof(uint32_t) + sizeof(float);
        add_row(r);
    }
    if (r->wide.len == 0)
        out->len = first; /* no value at all: no row */
}

static void check_count(struct reader *r)
{
    if (r->field == r->plan.field_count)
        return;
    r->overlong = true;
    r->bad = true;
    snprintf(r->reason, sizeof(r->reason), "%u fields where the header has %u", r->field,
             r->plan.field_count);
}

static bool same_moment(const struct plan *p, const char *rows, const uint32_t *x,
                        const uint32_t *y)
{
    const int slots[] = { p->id, p->time };
    for (int i = 0; i < 2; i++) {
        const char *a = rows + x[slots[i]], *b = rows + y[slots[i]];
        size_t n = sizeof(uint32_t) + (size_t)value_length(a);
        if (value_length(a) != value_length(b) || memcmp(a, b, n) != 0)
            return false;
    }
    return true;
}

/* Hands the full batch on. The rows of one station and time stay together where a key may hold
 * several: the record's own rows then move to the next batch, or the batch grows a little. */
static bool hand_on(struct reader *r, uint32_t first, uint32_t rows, struct err *e)
{
    struct batch *b = r->batch;
    const struct plan *p = &r->plan;
    struct buf moved = BUF_INIT(BUF_LIMIT_MESSAGE);
    uint32_t count = b->count - rows;
    if (p->dataset->multiset && rows != 0 && count != 0) {
        uint32_t old[LOAD_COLUMNS_MAX], own[LOAD_COLUMNS_MAX];
        batch_offsets(b, p, b->starts[rows - 1], old);
        batch_offsets(b, p, first, own);
        if (same_moment(p, b->rows.data, old, own) && b->count < 2 * BATCH_ROWS_MAX &&
            b->rows.len < LOAD_BATCH_BYTES + LOAD_RECORD_BYTES)
            return true;
        buf_add(&moved, b->rows.data + first, b->rows.len - first);
        b->rows.len = first;
        b->count = rows;
    }
    b = r->batch = r->full(r->full_ctx, b, e);
    int slot;
    size_t pos = 0;
    while (b != NULL && pos < moved.len && !b->failed) {
        uint32_t start = (uint32_t)b->rows.len, at[LOAD_COLUMNS_MAX];
        buf_add(&b->rows, moved.data + pos, moved.len - pos);
        pos += batch_offsets(b, p, start, at) - start;
        b->rows.len -= moved.len - pos;
        batch_add(b, p, start, at, &slot);
    }
    bool ok = !moved.failed;
    buf_release(&moved);
    return b != NULL && (ok || err_set(e, ERR_INTERNAL, "out of memory"));
}

bool record_end(struct reader *r, const char *raw, size_t len, struct err *e)
{
    uint32_t first = r->start, rows = r->batch->count;
    check_count(r);
    if (!r->bad)
        add_derived(r);
    if (!r->bad && r->plan.wide)
        add_wide_rows(r);
    else if (!r->bad)
        add_row(r);
    if (r->batch->failed || r->batch->rows.failed || r->wide.failed)
        return err_set(e, ERR_INTERNAL, "out of memory at line %llu", (unsigned long long)r->line);
    r->records++;
    if (r->bad) {
        r->batch->count = rows;
        r->batch->rows.len = first;
        rejects_add(r->rejects, r->line, r->reason, raw, len);
    }
    if (r->batch->rows.len < LOAD_BATCH_BYTES && r->batch->count < BATCH_ROWS_MAX)
        return true;
    return hand_on(r, first, rows, e);
}
