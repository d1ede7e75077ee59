#include "batch.h"

#include "obstream/core/civil.h"
#include "obstream/core/clock.h"
#include "obstream/load/load.h"

#include <stdlib.h>

enum { YEAR_MIN = 1600, YEARS_AHEAD = 10 };

void batch_init(struct batch *b)
{
    /* room for the largest row beyond the size at which a batch is sent */
    *b = (struct batch){ .rows = BUF_INIT(LOAD_BATCH_BYTES + 32 * LOAD_RECORD_BYTES) };
    batch_clear(b);
}

void batch_release(struct batch *b)
{
    buf_release(&b->rows);
    free(b->starts);
    free(b->hashes);
    free(b->slots);
    free(b->spans);
    free(b->span_slots);
    free(b->parts);
    *b = (struct batch){ .rows = BUF_INIT(0) };
}

void batch_clear(struct batch *b)
{
    buf_clear(&b->rows);
    if (b->slots != NULL)
        memset(b->slots, 0, 2 * sizeof(*b->slots) * b->cap);
    if (b->span_slots != NULL)
        memset(b->span_slots, 0, 2 * sizeof(*b->span_slots) * b->span_cap);
    b->count = b->span_count = b->part_count = 0;
    b->from = INT64_MAX;
    b->to = INT64_MIN;
    b->superseded = b->repeated = 0;
    b->year_max = civil_from_usec(clock_wall()).year + YEARS_AHEAD;
    b->failed = false;
}

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 29;
}

static uint64_t hash_bytes(uint64_t h, const char *p, size_t n)
{
    uint64_t word = 0;
    for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
        memcpy(&word, p, sizeof(word));
        h = mix(h ^ word);
    }
    word = n;
    for (size_t i = 0; i < n; i++)
        word = word << 8 | (unsigned char)p[i];
    return mix(h ^ word);
}

static size_t encoded_size(const char *p)
{
    int32_t len = value_length(p);
    return sizeof(uint32_t) + (len < 0 ? 0 : (size_t)len);
}

static uint64_t key_hash(const struct batch *b, const struct plan *p, const uint32_t *at)
{
    uint64_t h = 1;
    for (unsigned i = 0; i < p->slot_count; i++) {
        if (p->key[i])
            h = hash_bytes(h, b->rows.data + at[i], encoded_size(b->rows.data + at[i]));
    }
    return h;
}

uint32_t batch_offsets(const struct batch *b, const struct plan *p, uint32_t start, uint32_t *at)
{
    uint32_t pos = start + sizeof(uint16_t);
    for (unsigned i = 0; i < p->slot_count; i++) {
        at[i] = pos;
        pos += (uint32_t)encoded_size(b->rows.data + pos);
    }
    return pos;
}

static bool same_key(const struct batch *b, const struct plan *p, const uint32_t *x,
                     const uint32_t *y)
{
    for (unsigned i = 0; i < p->slot_count; i++) {
        const char *a = b->rows.data + x[i], *c = b->rows.data + y[i];
        if (p->key[i] && (encoded_size(a) != encoded_size(c) || memcmp(a, c, encoded_size(a)) != 0))
            return false;
    }
    return true;
}

static bool grow_rows(struct batch *b, bool hashed)
{
    uint32_t cap = b->cap == 0 ? 1 << 12 : 2 * b->cap;
    uint32_t *starts = realloc(b->starts, cap * sizeof(*starts));
    if (starts != NULL)
        b->starts = starts;
    uint64_t *hashes = realloc(b->hashes, cap * sizeof(*hashes));
    if (hashes != NULL)
        b->hashes = hashes;
    uint32_t *slots = calloc(2 * (size_t)cap, sizeof(*slots));
    if (starts == NULL || hashes == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    for (uint32_t i = 0; hashed && i < b->count; i++) {
        uint32_t k = (uint32_t)b->hashes[i] & (2 * cap - 1);
        if (b->starts[i] & BATCH_ROW_DEAD)
            continue; /* the later row of its key stands for it */
        while (slots[k] != 0)
            k = (k + 1) & (2 * cap - 1);
        slots[k] = i + 1;
    }
    free(b->slots);
    b->slots = slots;
    b->cap = cap;
    return true;
}

/* Is the earlier row's value of the `newest` column later than the new row's? */
static bool is_newer(const struct batch *b, const struct plan *p, const uint32_t *old,
                     const uint32_t *at)
{
    if (p->newest == SLOT_NONE)
        return false;
    const char *a = b->rows.data + old[p->newest], *c = b->rows.data + at[p->newest];
    return value_length(a) >= 0 && (value_length(c) < 0 || value_read_int(a) > value_read_int(c));
}

/* Is the earlier row the same as the new one that starts at `start`, byte for byte? */
static bool same_row(const struct batch *b, uint32_t row, uint32_t start)
{
    uint32_t from = b->starts[row];
    uint32_t end = row + 1 < b->count ? b->starts[row + 1] & ~(uint32_t)BATCH_ROW_DEAD : start;
    return end - from == b->rows.len - start &&
           memcmp(b->rows.data + from, b->rows.data + start, end - from) == 0;
}

/* Enters the row by its key. False when an earlier row of the batch makes it needless. */
static bool enter_key(struct batch *b, const struct plan *p, uint32_t start, const uint32_t *at)
{
    uint64_t h = key_hash(b, p, at);
    uint32_t mask = 2 * b->cap - 1, k = (uint32_t)h & mask;
    for (; b->slots[k] != 0; k = (k + 1) & mask) {
        uint32_t row = b->slots[k] - 1, old[LOAD_COLUMNS_MAX];
        if (b->hashes[row] != h)
            continue;
        batch_offsets(b, p, b->starts[row], old);
        if (!same_key(b, p, old, at))
            continue;
        if (is_newer(b, p, old, at) || same_row(b, row, start)) {
            b->repeated++;
            return false;
        }
        b->starts[row] |= BATCH_ROW_DEAD;
        b->superseded++;
        break;
    }
    b->slots[k] = b->count + 1;
    b->hashes[b->count] = h;
    return true;
}

static struct batch_span *find_span(struct batch *b, const char *id, size_t len)
{
    if (b->span_count != 0) { /* rows mostly come station by station */
        struct batch_span *last = &b->spans[b->span_count - 1];
        if (last->len == len && memcmp(last->id, id, len) == 0)
            return last;
    }
    uint32_t mask = 2 * b->span_cap - 1, k = (uint32_t)hash_bytes(1, id, len) & mask;
    for (; b->span_slots[k] != 0; k = (k + 1) & mask) {
        struct batch_span *s = &b->spans[b->span_slots[k] - 1];
        if (s->len == len && memcmp(s->id, id, len) == 0)
            return s;
    }
    struct batch_span *s = &b->spans[b->span_count++];
    b->span_slots[k] = b->span_count;
    *s = (struct batch_span){ .len = (unsigned char)len, .from = INT64_MAX, .to = INT64_MIN };
    memcpy(s->id, id, len);
    return s;
}

static bool grow_spans(struct batch *b)
{
    uint32_t cap = b->span_cap == 0 ? 64 : 2 * b->span_cap;
    struct batch_span *spans = realloc(b->spans, cap * sizeof(*spans));
    if (spans != NULL)
        b->spans = spans;
    uint32_t *slots = calloc(2 * (size_t)cap, sizeof(*slots));
    if (spans == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    for (uint32_t i = 0; i < b->span_count; i++) {
        uint32_t k = (uint32_t)hash_bytes(1, spans[i].id, spans[i].len) & (2 * cap - 1);
        while (slots[k] != 0)
            k = (k + 1) & (2 * cap - 1);
        slots[k] = i + 1;
    }
    free(b->span_slots);
    b->span_slots = slots;
    b->span_cap = cap;
    return true;
}

static bool add_part(struct batch *b, uint32_t part)
{
    for (uint32_t i = b->part_count; i-- > 0;) {
        if (b->parts[i] == part)
            return true;
    }
    if (b->part_count == b->part_cap) {
        uint32_t cap = b->part_cap == 0 ? 16 : 2 * b->part_cap;
        uint32_t *parts = realloc(b->parts, cap * sizeof(*parts));
        if (parts == NULL)
            return false;
        b->parts = parts;
        b->part_cap = cap;
    }
    b->parts[b->part_count++] = part;
    return true;
}

/* NULL, or why the time cannot be: a misread year must not make a partition. */
static const char *note_period(struct batch *b, enum partition_unit unit, int64_t usec)
{
    if (unit != PARTITION_YEAR && unit != PARTITION_MONTH)
        return NULL;
    int year, month, day;
    civil_from_days(floor_div(usec, USEC_PER_DAY), &year, &month, &day);
    if (year < YEAR_MIN)
        return "is before the year 1600";
    if (year > b->year_max)
        return "is more than ten years ahead";
    if (!add_part(b, (uint32_t)(year * 12 + (unit == PARTITION_MONTH ? month - 1 : 0))))
        b->failed = true;
    return NULL;
}

static const char *note_prefix(struct batch *b, const char *id, size_t len)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (size_t i = 0; i < 2; i++) {
        if (i >= len || memchr(allowed, id[i], sizeof(allowed) - 1) == NULL)
            return "does not start with two capital letters or digits";
    }
    if (!add_part(b, batch_part_prefix(id)))
        b->failed = true;
    return NULL;
}

static const char *note_span(struct batch *b, const struct plan *p, const uint32_t *at, int *slot)
{
    if (p->id == SLOT_NONE || p->time == SLOT_NONE)
        return NULL;
    const char *time = b->rows.data + at[p->time], *id = b->rows.data + at[p->id];
    bool day = p->slots[p->time]->type == VALUE_DAY;
    int64_t usec = day ? value_read_day(time) * USEC_PER_DAY : value_read_instant(time);
    size_t len = encoded_size(id) - sizeof(uint32_t);
    const char *why = note_period(b, p->dataset->partition, usec);
    *slot = p->time;
    if (why == NULL && p->dataset->partition == PARTITION_PREFIX) {
        why = note_prefix(b, id + sizeof(uint32_t), len);
        *slot = p->id;
    }
    if (why != NULL)
        return why;
    if (len >= ID_ROOM || (b->span_count == b->span_cap && !grow_spans(b))) {
        b->failed = true;
        return NULL;
    }
    struct batch_span *s = find_span(b, id + sizeof(uint32_t), len);
    s->from = usec < s->from ? usec : s->from;
    s->to = usec > s->to ? usec : s->to;
    b->from = usec < b->from ? usec : b->from;
    b->to = usec > b->to ? usec : b->to;
    return NULL;
}

const char *batch_add(struct batch *b, const struct plan *p, uint32_t start, const uint32_t *at,
                      int *slot)
{
    if (b->count == b->cap && !grow_rows(b, !p->dataset->multiset)) {
        b->failed = true;
        return NULL;
    }
    const char *why = note_span(b, p, at, slot);
    if (why != NULL || b->failed)
        return why;
    b->starts[b->count] = start;
    if (!p->dataset->multiset && !enter_key(b, p, start, at)) {
        b->rows.len = start;
        return NULL;
    }
    b->count++;
    return NULL;
}

uint32_t batch_live(const struct batch *b)
{
    return b->count - (uint32_t)b->superseded;
}

bool batch_each(const struct batch *b, bool (*put)(void *ctx, const char *bytes, size_t len),
                void *ctx)
{
    enum { PIECE = 64 << 10 };
    uint32_t i = 0;
    while (i < b->count) {
        uint32_t from = b->starts[i], to = from;
        if (from & BATCH_ROW_DEAD) {
            i++;
            continue;
        }
        while (i < b->count && !(b->starts[i] & BATCH_ROW_DEAD) && to - from < PIECE) {
            i++;
            to = i < b->count ? b->starts[i] & ~(uint32_t)BATCH_ROW_DEAD : (uint32_t)b->rows.len;
        }
        if (!put(ctx, b->rows.data + from, to - from))
            return false;
    }
    return true;
}
