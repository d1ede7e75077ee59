/* Which format an answer takes: format=, then the path's suffix, then Accept, else the first one.
 */
#include "obstream/api/native.h"

#include <stdlib.h>
#include <string.h>

static const char *format_candidate(const void *unused, size_t i)
{
    (void)unused;
    return encoders[i] != NULL ? encoders[i]->name : NULL;
}

static const struct encoder *named_encoder(struct api_request *r, const char *name)
{
    const struct encoder *e = encoder_find(name);
    if (e != NULL)
        return e;
    const char *near = str_nearest(name, format_candidate, NULL);
    struct buf list = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (size_t i = 0; encoders[i] != NULL; i++)
        buf_printf(&list, "%s%s", i > 0 ? ", " : "", encoders[i]->name);
    fault_add(&r->faults, "format", name, "there is no format \"%.32s\": %s%s%s%s", name,
              list.failed ? "" : list.data, near ? "; did you mean \"" : "", near ? near : "",
              near ? "\"?" : "");
    buf_release(&list);
    return NULL;
}

/* Does a media range of an Accept header cover the type? Parameters are left aside. */
static bool range_covers(const char *range, size_t len, const char *mime)
{
    size_t type = strcspn(mime, ";");
    if (len == 3 && memcmp(range, "*/*", 3) == 0)
        return true;
    if (len > 2 && range[len - 1] == '*' && range[len - 2] == '/')
        return strncasecmp(range, mime, len - 1) == 0;
    return len == type && strncasecmp(range, mime, len) == 0;
}

static double accept_quality(const char *params)
{
    const char *q = strstr(params, "q=");
    return q != NULL ? strtod(q + 2, NULL) : 1.0;
}

static void refuse_accept(struct api_request *r)
{
    struct buf list = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (size_t i = 0; encoders[i] != NULL; i++)
        buf_printf(&list, "%s%.*s", i > 0 ? ", " : "", (int)strcspn(encoders[i]->mime, ";"),
                   encoders[i]->mime);
    err_set(&r->err, ERR_NOT_ACCEPTABLE, "none of \"%.200s\" is offered: %s", r->accept,
            list.failed ? "" : list.data);
    buf_release(&list);
}

static const struct encoder *accepted_encoder(struct api_request *r)
{
    const struct encoder *best = NULL;
    double best_q = 0;
    struct strlist ranges = { 0 };
    strlist_split(&ranges, r->arena, r->accept);
    for (size_t i = 0; i < ranges.count; i++) {
        size_t len = strcspn(ranges.items[i], "; \t");
        double q = accept_quality(ranges.items[i] + len);
        for (const struct encoder *const *e = encoders; *e != NULL && q > best_q; e++) {
            if (range_covers(ranges.items[i], len, (*e)->mime)) {
                best = *e;
                best_q = q;
                break;
            }
        }
        /* A browser asks for text/html first and for anything else too: it gets the default. */
        if (strncasecmp(ranges.items[i], "text/html", 9) == 0 && strstr(r->accept, "*/*") != NULL)
            return encoders[0];
    }
    if (best == NULL)
        refuse_accept(r);
    return best;
}

const struct encoder *native_encoder(struct api_request *r, const struct native_params *p)
{
    if (p->format != NULL)
        return named_encoder(r, p->format);
    if (r->path_format != NULL)
        return named_encoder(r, r->path_format);
    if (r->accept != NULL && r->accept[0] != '\0')
        return accepted_encoder(r);
    return encoders[0];
}
