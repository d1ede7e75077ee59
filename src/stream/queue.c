/* Clients and the lists of their jobs: whose turn it is. The scheduler's lock is held. */
#include "internal.h"

#include "obstream/core/clock.h"

#include <stdlib.h>
#include <string.h>

static unsigned hash(const char *name)
{
    unsigned h = 2166136261u;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h % CLIENT_BUCKETS;
}

struct client *client_get(struct scheduler *s, const char *name)
{
    struct client **bucket = &s->buckets[hash(name)];
    for (struct client *c = *bucket; c != NULL; c = c->hash_next) {
        if (strncmp(c->name, name, sizeof(c->name) - 1) == 0)
            return c;
    }
    struct client *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return NULL;
    strncpy(c->name, name, sizeof(c->name) - 1);
    c->hash_next = *bucket;
    *bucket = c;
    s->stats.clients++;
    return c;
}

void client_drop(struct scheduler *s, struct client *c)
{
    if (c->jobs > 0)
        return;
    struct client **at = &s->buckets[hash(c->name)];
    while (*at != c)
        at = &(*at)->hash_next;
    *at = c->hash_next;
    s->stats.clients--;
    free(c);
}

/* A client joins the ring just behind the one whose turn is next ... before it, i.e. last. */
static void ring_add(struct scheduler *s, struct client *c, int list)
{
    struct client *head = s->ring[list];
    c->on_ring[list] = true;
    if (head == NULL) {
        c->next[list] = c->prev[list] = c;
        s->ring[list] = c;
        return;
    }
    c->next[list] = head;
    c->prev[list] = head->prev[list];
    head->prev[list]->next[list] = c;
    head->prev[list] = c;
}

static void ring_remove(struct scheduler *s, struct client *c, int list)
{
    c->on_ring[list] = false;
    if (c->next[list] == c) {
        s->ring[list] = NULL;
        return;
    }
    c->next[list]->prev[list] = c->prev[list];
    c->prev[list]->next[list] = c->next[list];
    if (s->ring[list] == c)
        s->ring[list] = c->next[list];
}

static void list_add(struct job *j, int list)
{
    struct client *c = j->client;
    struct job_queue *q = &c->lists[list];
    j->list = list;
    j->next = NULL;
    j->prev = q->last;
    if (q->last != NULL)
        q->last->next = j;
    else
        q->first = j;
    q->last = j;
    if (!c->on_ring[list])
        ring_add(j->sched, c, list);
}

void queue_remove(struct job *j)
{
    if (j->list == LIST_NONE)
        return;
    struct job_queue *q = &j->client->lists[j->list];
    if (j->prev != NULL)
        j->prev->next = j->next;
    else
        q->first = j->next;
    if (j->next != NULL)
        j->next->prev = j->prev;
    else
        q->last = j->prev;
    if (q->first == NULL)
        ring_remove(j->sched, j->client, j->list);
    j->list = LIST_NONE;
    j->next = j->prev = NULL;
}

bool job_planned(const struct job *j)
{
    return j->prepared && j->retry == NULL && j->cursor.done;
}

/* Which list a job belongs on now. */
static int job_wants(const struct job *j)
{
    const struct conf *conf = j->sched->conf;
    if (atomic_load(&j->cancelled) || j->err.kind != ERR_NONE || job_planned(j) || j->preparing)
        return LIST_NONE;
    if (j->retry_at > 0 && j->retry_at > clock_mono())
        return LIST_DELAYED;
    uint32_t outstanding = j->in_flight + j->ready_count;
    /* What is sent next was lost or is the rest of a segment: whatever else is ready must wait for
     * it, and holds memory meanwhile. Such a job must not queue for memory itself. */
    bool stuck = j->retry != NULL && j->retry->seq == j->send_seq && !job_can_send(j);
    if (outstanding == 0 || stuck)
        return j->segments == 0 ? LIST_NEW : LIST_HUNGRY;
    /* The rest is known only after each segment. */
    bool alone = j->plan->row_limit > 0 || j->cursor.probing;
    if (!j->prepared || (alone && j->in_flight > 0) || outstanding >= (uint32_t)conf->read_ahead)
        return LIST_NONE;
    return LIST_AHEAD;
}

void job_relist(struct job *j)
{
    int list = job_wants(j);
    if (list == j->list)
        return;
    queue_remove(j);
    if (list == LIST_NONE)
        return;
    list_add(j, list);
    pthread_cond_signal(&j->sched->work);
}

static struct job *take_turn(struct scheduler *s, int list)
{
    struct client *c = s->ring[list];
    if (c == NULL)
        return NULL;
    struct job *j = c->lists[list].first;
    s->ring[list] = c->next[list];
    queue_remove(j);
    return j;
}

/* Jobs whose pause is over go back to where they belong. */
static void wake_delayed(struct scheduler *s)
{
    struct client *start = s->ring[LIST_DELAYED];
    while (s->ring[LIST_DELAYED] != NULL) {
        struct client *c = s->ring[LIST_DELAYED];
        struct job *j = c->lists[LIST_DELAYED].first;
        bool ready = false;
        while (j != NULL) {
            struct job *next = j->next;
            if (j->retry_at <= clock_mono()) {
                ready = true;
                job_relist(j);
            }
            j = next;
        }
        if (s->ring[LIST_DELAYED] == NULL)
            break;
        if (!ready)
            s->ring[LIST_DELAYED] = s->ring[LIST_DELAYED]->next[LIST_DELAYED];
        if (s->ring[LIST_DELAYED] == start && !ready)
            break;
        if (!start->on_ring[LIST_DELAYED])
            start = s->ring[LIST_DELAYED];
    }
}

struct job *queue_pick(struct scheduler *s, bool *ahead)
{
    *ahead = false;
    if (s->ring[LIST_DELAYED] != NULL)
        wake_delayed(s);
    /* New requests first, but of four turns one is kept for those that are under way. */
    bool old_first = s->new_streak >= 3 && s->ring[LIST_HUNGRY] != NULL;
    struct job *j = old_first ? NULL : take_turn(s, LIST_NEW);
    s->new_streak = j != NULL ? s->new_streak + 1 : 0;
    if (j == NULL)
        j = take_turn(s, LIST_HUNGRY);
    if (j != NULL)
        return j;
    double memory = (double)s->ready_bytes + (double)s->busy * job_target(s);
    if (s->busy_ahead >= s->ahead_limit || memory > (double)s->conf->memory)
        return NULL;
    *ahead = true;
    return take_turn(s, LIST_AHEAD);
}

/* Plain bytes a segment aims at: smaller while many answers share the memory. */
double job_target(const struct scheduler *s)
{
    double share = (double)s->conf->memory / (2.0 * (double)(s->job_count ? s->job_count : 1));
    double target = (double)s->conf->segment_target;
    target = share < target ? share : target;
    double floor = (double)s->conf->segment_first;
    return target > floor ? target : floor;
}
