#include "plan.h"

#include "obstream/core/buf.h"
#include "obstream/core/strutil.h"

#include <string.h>

enum { PLAN_MEMORY = 4 << 20, KEY_MIN = 6, KEY_MAX = 11 };

static const struct load_column line_column = { .name = "obstream_line" };

void plan_init(struct plan *p, const struct load_dataset *d)
{
    *p = (struct plan){ .dataset = d };
    arena_init(&p->arena, PLAN_MEMORY);
    for (unsigned i = 0; i < d->count; i++)
        p->sizes[i] = d->columns[i].size;
}

unsigned plan_size(const struct plan *p, int slot)
{
    return p->sizes[p->slots[slot] - p->dataset->columns];
}

void plan_release(struct plan *p)
{
    arena_release(&p->arena);
}

static int slot_of(const struct plan *p, const char *name)
{
    for (unsigned i = 0; name != NULL && i < p->slot_count; i++) {
        if (str_eq(p->slots[i]->name, name))
            return (int)i;
    }
    return SLOT_NONE;
}

static int add_slot(struct plan *p, int column)
{
    const struct load_column *c = &p->dataset->columns[column];
    int slot = (int)p->slot_count++;
    p->slots[slot] = c;
    p->key[slot] = word_in(p->dataset->key, c->name, strlen(c->name));
    p->required[slot] = word_in(p->dataset->required, c->name, strlen(c->name));
    return slot;
}

/* SHEF keys are capitals and digits (SHEF manual, section 3.3). */
static bool is_shef_key(const char *name)
{
    size_t n = strlen(name);
    return n >= KEY_MIN && n <= KEY_MAX &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == n;
}

static void note_unknown(struct buf *unknown, const char *name)
{
    buf_puts(unknown, unknown->len == 0 ? "" : ", ");
    buf_puts(unknown, name);
}

static void map_field(struct plan *p, unsigned i, const char *name, struct buf *unknown)
{
    size_t len = strlen(name);
    int column = dataset_column(p->dataset, name, len);
    struct plan_field *f = &p->fields[i];
    f->name = arena_strdup(&p->arena, name);
    f->slot = FIELD_IGNORED;
    if (column >= 0 && slot_of(p, p->dataset->columns[column].name) == SLOT_NONE)
        f->slot = add_slot(p, column);
    else if (column < 0 && p->wide && is_shef_key(name))
        f->slot = FIELD_WIDE;
    else if (column < 0 && len != 0 && !dataset_ignores(p->dataset, name, len))
        note_unknown(unknown, name);
}

static bool has_name(const char *const *names, unsigned count, const struct load_dataset *d,
                     const char *column)
{
    for (unsigned i = 0; i < count; i++) {
        int c = dataset_column(d, names[i], strlen(names[i]));
        if (c >= 0 && str_eq(d->columns[c].name, column))
            return true;
    }
    return false;
}

/* The columns that a wide file's values need, and those that follow from the day. */
static void add_derived(struct plan *p)
{
    static const char *const parts[] = { "sday", "year", "month" };
    const struct load_dataset *d = p->dataset;
    if (p->wide) {
        p->key_slot = add_slot(p, dataset_column(d, "key", 3));
        p->value_slot = add_slot(p, dataset_column(d, "value", 5));
    }
    p->line_slot = SLOT_NONE;
    if (slot_of(p, d->second_key) != SLOT_NONE) {
        p->line_slot = (int)p->slot_count++;
        p->slots[p->line_slot] = &line_column;
    }
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        p->day_parts[i] = SLOT_NONE;
        if (d->day_parts && slot_of(p, parts[i]) == SLOT_NONE)
            p->day_parts[i] = add_slot(p, dataset_column(d, parts[i], strlen(parts[i])));
    }
    p->id = slot_of(p, d->id);
    p->time = slot_of(p, d->time);
    p->newest = slot_of(p, d->newest);
    p->time_field = SLOT_NONE;
    for (unsigned i = 0; i < p->field_count && p->time != SLOT_NONE; i++) {
        if (p->fields[i].slot == p->time)
            p->time_field = (int)i;
    }
}

static bool check_required(const struct plan *p, struct err *e)
{
    for (unsigned i = 0; i < p->dataset->count; i++) {
        const struct load_column *c = &p->dataset->columns[i];
        if (word_in(p->dataset->required, c->name, strlen(c->name)) &&
            slot_of(p, c->name) == SLOT_NONE)
            return err_set(e, ERR_PARAM,
                           "the header has no column \"%s\", which %s needs; it must be the "
                           "first line and name the columns",
                           c->name, p->dataset->name);
    }
    return true;
}

static bool choose_table(struct plan *p, const char *table, struct err *e)
{
    size_t len;
    const char *name = dataset_table(p->dataset, table, &len);
    if (name == NULL)
        return err_set(e, ERR_PARAM, "%s does not load into table \"%s\"; it knows %s%s%s",
                       p->dataset->name, table, p->dataset->table,
                       p->dataset->siblings == NULL ? "" : ",",
                       p->dataset->siblings == NULL ? "" : p->dataset->siblings);
    p->table = arena_strndup(&p->arena, name, len);
    return p->table != NULL || err_set(e, ERR_INTERNAL, "out of memory");
}

bool plan_header(struct plan *p, const char *table, const char *const *names, unsigned count,
                 void (*warn)(void *ctx, const char *message), void *ctx, struct err *e)
{
    const struct load_dataset *d = p->dataset;
    struct buf unknown = BUF_INIT(BUF_LIMIT_MESSAGE);
    if (!choose_table(p, table, e))
        return false;
    p->wide = d->wide && !has_name(names, count, d, "key") && !has_name(names, count, d, "value");
    p->fields = arena_array(&p->arena, count, sizeof(*p->fields));
    if (p->fields == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory for %u columns", count);
    p->field_count = count;
    for (unsigned i = 0; i < count; i++)
        map_field(p, i, names[i], &unknown);
    add_derived(p);
    bool ok = check_required(p, e);
    if (ok && unknown.len != 0 && warn != NULL) {
        struct buf text = BUF_INIT(BUF_LIMIT_DOCUMENT);
        buf_printf(&text, "columns not loaded, %s has none of that name: %s", d->name,
                   unknown.data);
        warn(ctx, text.failed ? "columns not loaded" : text.data);
        buf_release(&text);
    }
    buf_release(&unknown);
    return ok && (!p->arena.failed || err_set(e, ERR_INTERNAL, "out of memory"));
}
