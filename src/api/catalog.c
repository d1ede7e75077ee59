#include "catalog_private.h"

#include "obstream/core/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CATALOG_MEMORY = 256 << 20, ACQUIRE_USEC = 5000000 };

struct catalog_store {
    pthread_mutex_t lock; /* around the pointer and the reference taken from it, nothing else */
    struct catalog *current;
};

struct catalog_store *catalog_store_new(void)
{
    struct catalog_store *s = calloc(1, sizeof(*s));
    if (s != NULL && pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s);
        return NULL;
    }
    return s;
}

void catalog_store_free(struct catalog_store *s)
{
    if (s == NULL)
        return;
    catalog_put(s->current);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

struct catalog *catalog_new(void)
{
    struct catalog *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return NULL;
    atomic_init(&c->refs, 1);
    arena_init(&c->arena, CATALOG_MEMORY);
    c->loaded = clock_wall();
    for (int t = 0; t < TABLE_COUNT; t++) {
        c->first[t] = INT64_MIN;
        c->last[t] = INT64_MAX;
    }
    return c;
}

const struct catalog *catalog_get(struct catalog_store *s)
{
    pthread_mutex_lock(&s->lock);
    struct catalog *c = s->current;
    if (c != NULL)
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
    return c;
}

void catalog_put(const struct catalog *shared)
{
    struct catalog *c = (struct catalog *)shared; /* made by catalog_new(), hence not const */
    if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    free(c->stations);
    free(c->networks);
    free(c->attributes);
    layout_release(&c->layout);
    arena_release(&c->arena);
    free(c);
}

void catalog_publish(struct catalog_store *s, struct catalog *c)
{
    pthread_mutex_lock(&s->lock);
    struct catalog *old = s->current;
    s->current = c;
    pthread_mutex_unlock(&s->lock);
    catalog_put(old);
}

void *catalog_grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return reallocarray(items, count == 0 ? 1 : 2 * count, size);
}

static int station_order(const void *va, const void *vb)
{
    const struct station *a = va, *b = vb;
    int order = strcmp(a->id, b->id);
    return order != 0 ? order : strcmp(a->network, b->network);
}

static int network_order(const void *a, const void *b)
{
    return strcmp(((const struct network *)a)->id, ((const struct network *)b)->id);
}

static int attribute_order(const void *va, const void *vb)
{
    const struct station_attribute *a = va, *b = vb;
    int order = (a->iemid > b->iemid) - (a->iemid < b->iemid);
    return order != 0 ? order : strcmp(a->attr, b->attr);
}

static struct network *network_find(const struct catalog *c, const char *id)
{
    if (c->network_count == 0)
        return NULL;
    struct network key = { .id = id };
    return bsearch(&key, c->networks, c->network_count, sizeof(key), network_order);
}

/* Not by ORDER BY: the database may collate otherwise, and searches here go by bytes. */
void catalog_sort(struct catalog *c)
{
    if (c->station_count > 0)
        qsort(c->stations, c->station_count, sizeof(*c->stations), station_order);
    if (c->network_count > 0)
        qsort(c->networks, c->network_count, sizeof(*c->networks), network_order);
    if (c->attribute_count > 0)
        qsort(c->attributes, c->attribute_count, sizeof(*c->attributes), attribute_order);
    for (size_t i = 0; i < c->network_count; i++)
        c->networks[i].stations = 0;
    for (size_t i = 0; i < c->station_count; i++) {
        struct network *n = network_find(c, c->stations[i].network);
        if (n != NULL)
            n->stations++;
    }
}

/* As strcmp(), of an id and `len` bytes. */
static int id_compare(const char *id, const char *want, size_t len)
{
    size_t have = strlen(id);
    int order = memcmp(id, want, have < len ? have : len);
    return order != 0 ? order : (have > len) - (have < len);
}

const struct station *catalog_station(const struct catalog *c, const char *id, size_t len,
                                      size_t *count)
{
    size_t low = 0, high = c->station_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (id_compare(c->stations[mid].id, id, len) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    while (high < c->station_count && id_compare(c->stations[high].id, id, len) == 0)
        high++;
    if (count != NULL)
        *count = high - low;
    return high > low ? &c->stations[low] : NULL;
}

const struct network *catalog_network(const struct catalog *c, const char *id)
{
    return network_find(c, id);
}

const struct station_attribute *catalog_attributes(const struct catalog *c, int64_t iemid,
                                                   size_t *count)
{
    size_t low = 0, high = c->attribute_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->attributes[mid].iemid < iemid)
            low = mid + 1;
        else
            high = mid;
    }
    while (high < c->attribute_count && c->attributes[high].iemid == iemid)
        high++;
    *count = iemid != INT64_MIN ? high - low : 0; /* a null stands for no station */
    return *count > 0 ? &c->attributes[low] : NULL;
}

static bool mesosite_read(struct catalog *c, struct pool *pool, struct err *e)
{
    struct conn *conn = pool_acquire(pool, clock_mono() + ACQUIRE_USEC, e);
    if (conn == NULL)
        return false;
    bool ok = layout_discover(&c->layout, DATASET_MESOSITE, conn, e) &&
              catalog_read_stations(c, conn, e) && catalog_read_networks(c, conn, e) &&
              catalog_read_attributes(c, conn, e);
    pool_release(conn, false);
    return ok;
}

/* A failed discovery may have found a part. */
static void dataset_forget(struct catalog *c, enum dataset d)
{
    for (enum layout_table t = 0; t < TABLE_COUNT; t++) {
        if (layout_dataset(t) == d)
            c->layout.tables[t] = (struct layout_entry){ .exists = false };
    }
}

static void entry_copy(struct arena *a, struct layout_entry *to, const struct layout_entry *from)
{
    struct layout_column *columns = arena_array(a, from->count, sizeof(*columns));
    for (unsigned i = 0; columns != NULL && i < from->count; i++) {
        columns[i] = from->columns[i];
        columns[i].name = arena_strdup(a, from->columns[i].name);
    }
    *to = *from;
    to->columns = columns;
    to->sql_name = arena_strdup(a, from->sql_name);
}

/* A database that does not answer now is no reason to forget what it has. */
static void dataset_inherit(struct catalog *c, const struct catalog *old, enum dataset d)
{
    c->layout.own[d] = old->layout.own[d];
    c->layout.c_order[d] = old->layout.c_order[d];
    for (enum layout_table t = 0; t < TABLE_COUNT; t++) {
        if (layout_dataset(t) != d)
            continue;
        c->first[t] = INT64_MIN; /* rows may have come meanwhile */
        c->last[t] = INT64_MAX;
        if (old->layout.tables[t].exists)
            entry_copy(&c->layout.arena, &c->layout.tables[t], &old->layout.tables[t]);
    }
}

static void dataset_read(struct catalog *c, const struct catalog *old, enum dataset d,
                         struct pool *pool)
{
    struct err e = ERR_INIT;
    struct conn *conn = pool_acquire(pool, clock_mono() + ACQUIRE_USEC, &e);
    bool ok = conn != NULL && layout_discover(&c->layout, d, conn, &e);
    if (!ok)
        dataset_forget(c, d);
    if (ok)
        catalog_read_extents(c, d, conn);
    if (conn != NULL)
        pool_release(conn, false);
    bool silent = e.kind == ERR_UNAVAILABLE || e.kind == ERR_TIMEOUT;
    if (silent && old != NULL && old->fault[d] == NULL)
        dataset_inherit(c, old, d);
    else if (!ok)
        c->fault[d] = arena_strdup(&c->arena, e.msg);
}

static bool catalog_read(struct catalog *c, const struct catalog *old,
                         struct pool *const pools[DATASET_COUNT], struct err *e)
{
    if (!mesosite_read(c, pools[DATASET_MESOSITE], e))
        return false;
    for (enum dataset d = 0; d < DATASET_COUNT; d++) {
        if (d != DATASET_MESOSITE)
            dataset_read(c, old, d, pools[d]);
    }
    catalog_sort(c);
    return (!c->arena.failed && !c->layout.arena.failed) ||
           err_set(e, ERR_INTERNAL, "out of memory for the station table (%zu stations)",
                   c->station_count);
}

bool catalog_load(struct catalog_store *s, struct pool *const pools[DATASET_COUNT], struct err *e)
{
    struct catalog *c = catalog_new();
    if (c == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory for the station table");
    const struct catalog *old = catalog_get(s);
    bool ok = catalog_read(c, old, pools, e);
    catalog_put(old);
    if (ok)
        catalog_publish(s, c);
    else
        catalog_put(c);
    return ok;
}
