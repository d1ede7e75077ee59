#include "obstream/core/err.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct kind_row {
    int status;
    const char *slug, *title;
};

#define ERR_ROW(kind, status, slug, title) [kind] = { status, slug, title },
static const struct kind_row kinds[ERR_KIND_COUNT] = { ERR_KINDS(ERR_ROW) };
#undef ERR_ROW

bool err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
    if (e == NULL || e->kind != ERR_NONE)
        return false;
    e->kind = kind;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
    va_end(ap);
    return false;
}

void err_clear(struct err *e)
{
    e->kind = ERR_NONE;
    e->msg[0] = '\0';
}

int err_status(enum err_kind kind)
{
    return kinds[kind].status;
}

const char *err_slug(enum err_kind kind)
{
    return kinds[kind].slug;
}

const char *err_title(enum err_kind kind)
{
    return kinds[kind].title;
}
