/* A query string through decoding and the tables of every endpoint: the first byte says which. */
#include "fuzz.h"

#include "obstream/api/endpoint.h"

#include <glib.h>
#include <jansson.h>

enum { TARGET_ROOM = 16384, MEMORY = 8 << 20 };

static void check_pairs(const struct pairs *p)
{
    for (size_t i = 0; i < p->count; i++) {
        MUST(g_utf8_validate(p->items[i].name, -1, NULL));
        MUST(g_utf8_validate(p->items[i].value, -1, NULL));
        MUST(p->items[i].name[0] != '\0' || p->items[i].value[0] != '\0');
    }
}

/* Whatever the faults repeat, the problem document is whole JSON that tells all of them. */
static void check_problem(struct api_request *r)
{
    problem_reply(r);
    MUST(r->status == 400 && !r->body->failed);
    json_t *root = json_loadb(r->body->data, r->body->len, 0, NULL);
    const json_t *errors = json_object_get(root, "errors");
    MUST(json_array_size(errors) == r->faults.count);
    for (size_t i = 0; i < r->faults.count; i++)
        MUST(json_is_string(json_object_get(json_array_get(errors, i), "detail")));
    MUST(json_is_string(json_object_get(root, "detail")));
    json_decref(root);
}

static void fill(const struct endpoint *e, const struct input *in, bool lenient)
{
    static char target[TARGET_ROOM]; /* larger than any endpoint's struct */
    struct arena a = ARENA_INIT(MEMORY);
    struct api_request r = { .arena = &a, .endpoint = e, .path = e->path };
    r.faults.arena = &a;
    memset(target, 0, sizeof(target));
    if (lenient)
        pairs_decode_leniently(&r.pairs, &a, (const char *)in->data, in->size);
    else
        pairs_decode(&r.pairs, (const char *)in->data, in->size, &r.faults);
    check_pairs(&r.pairs);
    params_fill(e->params, &r.pairs, target, &r.faults);
    if (r.faults.count > 0 && !a.failed)
        check_problem(&r);
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    size_t count = 0, which = input_byte(&in);
    while (endpoints[count] != NULL)
        count++;
    const struct endpoint *e = endpoints[which % count];
    if (e->params == NULL)
        return -1;
    fill(e, &in, which & 1);
    return 0;
}
