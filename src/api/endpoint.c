#include "obstream/api/endpoint.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What of the path follows the endpoint's own part; NULL when it does not start with it. */
static const char *path_rest(const char *path, const char *own)
{
    size_t n = strlen(own);
    return strncmp(path, own, n) == 0 ? path + n : NULL;
}

/* Takes ".suffix" and, where the endpoint wants one, "argument.suffix". */
static bool take_rest(struct api_request *r, const struct endpoint *e, const char *rest)
{
    const char *dot = strrchr(rest, '.');
    r->path_format = NULL;
    r->path_argument = NULL;
    if (e->flags & ENDPOINT_ARGUMENT) {
        if (rest[0] == '\0' || strchr(rest, '/') != NULL || rest == dot)
            return false;
        r->path_argument = dot != NULL ? arena_strndup(r->arena, rest, (size_t)(dot - rest)) : rest;
        r->path_format = dot != NULL ? dot + 1 : NULL;
        return true;
    }
    if (rest[0] == '\0')
        return true;
    if (rest[0] == '/' && rest[1] == '\0')
        return !(e->flags & ENDPOINT_NO_SLASH);
    if (rest[0] != '.' || strchr(rest, '/') != NULL ||
        !(e->flags & (ENDPOINT_FORMATS | ENDPOINT_SUFFIX)))
        return false;
    r->path_format = rest + 1;
    return true;
}

static bool path_matches(struct api_request *r, const struct endpoint *e, const char *own)
{
    const char *rest = path_rest(r->path, own);
    return rest != NULL && take_rest(r, e, rest);
}

const struct endpoint *endpoint_find(struct api_request *r)
{
    for (const struct endpoint *const *e = endpoints; *e != NULL; e++) {
        if (path_matches(r, *e, (*e)->path))
            return *e;
        for (const char *const *alias = (*e)->aliases; alias != NULL && *alias != NULL; alias++) {
            if (path_matches(r, *e, *alias))
                return *e;
        }
    }
    return NULL;
}

void reply_header_add(struct api_request *r, const char *name, const char *value)
{
    if (r->header_count < REPLY_HEADERS && value != NULL)
        r->headers[r->header_count++] = (struct reply_header){ name, value };
}

static void body_release(void *ptr)
{
    buf_release(ptr);
}

struct buf *reply_body(struct api_request *r, int status, const char *mime)
{
    static struct buf exhausted = { .failed = true };
    r->status = status;
    r->mime = mime;
    if (r->body == NULL) {
        struct buf *b = arena_alloc(r->arena, sizeof(*b));
        if (b == NULL)
            return &exhausted;
        buf_init(b, BUF_LIMIT_DOCUMENT);
        if (!arena_defer(r->arena, body_release, b))
            return &exhausted;
        r->body = b;
    }
    buf_clear(r->body);
    return r->body;
}

static json_t *faults_json(const struct faults *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->count; i++) {
        const struct fault *x = &f->items[i];
        json_t *o = json_object();
        json_object_set_new(o, "parameter", json_string(x->param));
        if (x->value != NULL) {
            json_t *value = json_string(x->value); /* NULL for bytes that are not UTF-8 */
            json_object_set_new(o, "value", value != NULL ? value : json_null());
        }
        json_object_set_new(o, "detail", json_string(x->detail));
        json_array_append_new(list, o);
    }
    return list;
}

/* Messages and paths repeat what clients sent, and may be cut within a character. */
static json_t *json_mended(struct arena *a, const char *text)
{
    char *copy = utf8_mend(arena_strdup(a, text));
    return json_string(copy != NULL ? copy : "out of memory");
}

static json_t *problem_json(const struct api_request *r)
{
    bool faulty = r->faults.count > 0;
    enum err_kind kind = faulty ? ERR_PARAM : r->err.kind;
    json_t *o = json_object();
    json_object_set_new(o, "type", json_sprintf("urn:obstream:problem:%s", err_slug(kind)));
    json_object_set_new(o, "title", json_string(err_title(kind)));
    json_object_set_new(o, "status", json_integer(err_status(kind)));
    if (faulty && r->faults.count > 1)
        json_object_set_new(o, "detail",
                            json_sprintf("%zu parameters are not valid: see errors",
                                         r->faults.count + r->faults.unlisted));
    else
        json_object_set_new(o, "detail",
                            json_mended(r->arena, faulty ? r->faults.items[0].detail : r->err.msg));
    if (r->path != NULL)
        json_object_set_new(o, "instance", json_mended(r->arena, r->path));
    if (faulty)
        json_object_set_new(o, "errors", faults_json(&r->faults));
    if (r->faults.unlisted > 0)
        json_object_set_new(o, "unlisted", json_integer((json_int_t)r->faults.unlisted));
    return o;
}

void problem_reply(struct api_request *r)
{
    json_t *o = problem_json(r);
    char *text = json_dumps(o, JSON_INDENT(2));
    int status = (int)json_integer_value(json_object_get(o, "status"));
    struct buf *body = reply_body(r, status, "application/problem+json");
    buf_puts(body, text != NULL ? text : "{}");
    buf_putc(body, '\n');
    if (r->err.kind == ERR_UNAVAILABLE && r->faults.count == 0)
        reply_header_add(r, "Retry-After", "2");
    free(text);
    json_decref(o);
}
