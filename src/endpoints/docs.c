/*
 * /docs: the viewer of /api/openapi.json, from files that are part of the program, or, where the
 * build had no viewer (tools/docs.sh), the plain page. Nothing is asked of other servers: the
 * content security policy forbids it.
 */
#include "common.h"
#include "docs_page.h"

#include <pthread.h>
#include <string.h>

#define EMBED(name, path)                                                                          \
    __asm__(".pushsection .rodata\n"                                                               \
            ".global obstream_docs_" #name "\n"                                                    \
            ".hidden obstream_docs_" #name "\n"                                                    \
            "obstream_docs_" #name ":\n"                                                           \
            ".incbin \"" path "\"\n"                                                               \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char obstream_docs_##name[] __attribute__((visibility("hidden")));

/* The paths are those seen from the project's folder; the Makefile names them as prerequisites. */
EMBED(page, "tools/docs/page.html")
EMBED(start, "tools/docs/start.js")
EMBED(bundle, "build/docs/swagger-ui-bundle.js")
EMBED(style, "build/docs/swagger-ui.css")
EMBED(license, "build/docs/LICENSE")

#define HTML "text/html; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

static const struct {
    const char *name, *suffix, *mime, *text;
} files[] = {
    { "swagger-ui-bundle", "js", SCRIPT, obstream_docs_bundle },
    { "swagger-ui", "css", "text/css; charset=utf-8", obstream_docs_style },
    { "start", "js", SCRIPT, obstream_docs_start },
    { "LICENSE", NULL, "text/plain; charset=utf-8", obstream_docs_license },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct buf plain;

static void make_plain(void)
{
    buf_init(&plain, BUF_LIMIT_DOCUMENT);
    docs_page(&plain);
}

static bool reply(struct api_request *r, const char *mime, const char *text, size_t len)
{
    reply_header_add(r, "Content-Security-Policy",
                     "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
                     "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action "
                     "'none'; frame-ancestors 'none'");
    reply_header_add(r, "Referrer-Policy", "no-referrer");
    reply_header_add(r, "Cache-Control", "public, max-age=3600");
    return text_reply(r, mime, text, len);
}

static bool plain_page(struct api_request *r)
{
    pthread_once(&once, make_plain);
    return plain.failed ? err_set(&r->err, ERR_INTERNAL, "the page cannot be made")
                        : reply(r, HTML, plain.data, plain.len);
}

static bool viewer_page(struct api_request *r)
{
    return obstream_docs_bundle[0] != '\0'
               ? reply(r, HTML, obstream_docs_page, strlen(obstream_docs_page))
               : plain_page(r);
}

static bool file(struct api_request *r)
{
    if (str_eq(r->path_argument, "plain") && r->path_format == NULL)
        return plain_page(r);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        bool suffix = files[i].suffix == NULL
                          ? r->path_format == NULL
                          : r->path_format != NULL && str_eq(files[i].suffix, r->path_format);
        if (suffix && str_eq(files[i].name, r->path_argument) && files[i].text[0] != '\0')
            return reply(r, files[i].mime, files[i].text, strlen(files[i].text));
    }
    return err_set(&r->err, ERR_NOT_FOUND, "there is nothing at %.200s; /docs is the help",
                   r->path);
}

const struct endpoint endpoint_docs = {
    .path = "/docs",
    .summary = "Help",
    .help = "This description for people; /docs/plain is one page without a viewer.",
    .allow = "GET, HEAD, OPTIONS",
    .prepare = viewer_page,
    .media_type = HTML,
    .examples = { "" },
};

const struct endpoint endpoint_docs_files = {
    .path = "/docs/",
    .summary = "Parts of the help",
    .help = "/docs/plain, and the files of the viewer.",
    .flags = ENDPOINT_ARGUMENT,
    .allow = "GET, HEAD, OPTIONS",
    .prepare = file,
    .media_type = HTML,
};
