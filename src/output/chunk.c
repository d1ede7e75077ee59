#include "obstream/output/chunk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Process-wide by purpose: blocks wander from the workers that fill them to the threads that send
 * them. */
static struct {
    pthread_mutex_t lock;
    struct chunk *free;
    unsigned kept;
    uint64_t in_use;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct chunk *chunk_get(void)
{
    pthread_mutex_lock(&pool.lock);
    struct chunk *c = pool.free;
    if (c != NULL) {
        pool.free = c->next;
        pool.kept--;
    }
    pool.in_use++;
    pthread_mutex_unlock(&pool.lock);
    if (c == NULL)
        c = malloc(sizeof(*c));
    if (c == NULL) {
        pthread_mutex_lock(&pool.lock);
        pool.in_use--;
        pthread_mutex_unlock(&pool.lock);
        return NULL;
    }
    c->next = NULL;
    c->pos = 0;
    c->len = 0;
    return c;
}

static void chunk_put_chain(struct chunk *c)
{
    pthread_mutex_lock(&pool.lock);
    while (c != NULL && pool.kept < CHUNK_KEEP) {
        struct chunk *next = c->next;
        c->next = pool.free;
        pool.free = c;
        pool.kept++;
        pool.in_use--;
        c = next;
    }
    for (const struct chunk *rest = c; rest != NULL; rest = rest->next)
        pool.in_use--;
    pthread_mutex_unlock(&pool.lock);
    while (c != NULL) {
        struct chunk *next = c->next;
        free(c);
        c = next;
    }
}

void chunk_list_release(struct chunk_list *l)
{
    if (l->first != NULL)
        chunk_put_chain(l->first);
    *l = CHUNK_LIST_INIT;
}

unsigned char *chunk_list_tail(struct chunk_list *l, size_t *room)
{
    *room = 0;
    if (l->failed)
        return NULL;
    if (l->last == NULL || l->last->len == CHUNK_SIZE) {
        struct chunk *c = chunk_get();
        if (c == NULL) {
            l->failed = true;
            return NULL;
        }
        if (l->last == NULL)
            l->first = c;
        else
            l->last->next = c;
        l->last = c;
    }
    *room = CHUNK_SIZE - l->last->len;
    return l->last->data + l->last->len;
}

void chunk_list_advance(struct chunk_list *l, size_t n)
{
    l->last->len += (uint32_t)n;
    l->bytes += n;
}

void chunk_list_add(struct chunk_list *l, const void *p, size_t n)
{
    const unsigned char *from = p;
    while (n > 0) {
        size_t room;
        unsigned char *to = chunk_list_tail(l, &room);
        if (to == NULL)
            return;
        if (room > n)
            room = n;
        memcpy(to, from, room);
        chunk_list_advance(l, room);
        from += room;
        n -= room;
    }
}

static void drop_first(struct chunk_list *l)
{
    struct chunk *c = l->first;
    l->first = c->next;
    if (l->first == NULL)
        l->last = NULL;
    c->next = NULL;
    chunk_put_chain(c);
}

size_t chunk_list_take(struct chunk_list *l, void *p, size_t n)
{
    unsigned char *to = p;
    size_t taken = 0;
    while (taken < n && l->first != NULL) {
        struct chunk *c = l->first;
        size_t part = c->len - c->pos;
        if (part > n - taken)
            part = n - taken;
        memcpy(to + taken, c->data + c->pos, part);
        c->pos += (uint32_t)part;
        taken += part;
        if (c->pos == c->len)
            drop_first(l);
    }
    l->bytes -= taken;
    return taken;
}

void chunk_list_append(struct chunk_list *to, struct chunk_list *from)
{
    if (from->first != NULL) {
        if (to->last == NULL)
            to->first = from->first;
        else
            to->last->next = from->first;
        to->last = from->last;
    }
    to->bytes += from->bytes;
    to->failed = to->failed || from->failed;
    *from = CHUNK_LIST_INIT;
}

uint64_t chunk_in_use(void)
{
    pthread_mutex_lock(&pool.lock);
    uint64_t n = pool.in_use;
    pthread_mutex_unlock(&pool.lock);
    return n;
}
