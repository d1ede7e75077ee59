/* /healthz: the process lives. /readyz: it can serve. */
#include "common.h"

#include <string.h>

static bool healthz(struct api_request *r)
{
    buf_puts(reply_body(r, 200, "text/plain; charset=utf-8"), "ok\n");
    reply_header_add(r, "Cache-Control", "no-store");
    return true;
}

/* Ready: the station table was read, and no pool found its database gone at the last attempt. */
static bool readyz(struct api_request *r)
{
    const char *down = r->catalog == NULL ? dataset_name(DATASET_MESOSITE) : NULL;
    for (int d = 0; d < DATASET_COUNT && down == NULL; d++) {
        if (pool_stats(r->api->pools[d]).down)
            down = dataset_name((enum dataset)d);
    }
    reply_header_add(r, "Cache-Control", "no-store");
    if (down == NULL) {
        buf_puts(reply_body(r, 200, "text/plain; charset=utf-8"), "ready\n");
        return true;
    }
    buf_printf(reply_body(r, 503, "text/plain; charset=utf-8"),
               "not ready: the database of %s cannot be reached\n", down);
    reply_header_add(r, "Retry-After", "2");
    return true;
}

const struct endpoint endpoint_healthz = {
    .path = "/healthz",
    .summary = "Is the server alive?",
    .help = "Answers 200 while the process runs.",
    .prepare = healthz,
    .allow = "GET, HEAD, OPTIONS",
    .examples = { "" },
};

const struct endpoint endpoint_readyz = {
    .path = "/readyz",
    .summary = "Can the server serve?",
    .help = "Answers 200 when the databases can be reached and the station table was read, else "
            "503.",
    .prepare = readyz,
    .allow = "GET, HEAD, OPTIONS",
    .examples = { "" },
};
