/* The plain help page, made from the tables that check requests. */
#include "docs_page.h"

#include "common.h"

#include <string.h>

static void put_text(struct buf *b, const char *s)
{
    for (; *s != '\0'; s++) {
        switch (*s) {
        case '&':
            buf_puts(b, "&amp;");
            break;
        case '<':
            buf_puts(b, "&lt;");
            break;
        case '>':
            buf_puts(b, "&gt;");
            break;
        case '"':
            buf_puts(b, "&quot;");
            break;
        default:
            buf_putc(b, *s);
        }
    }
}

static void put(struct buf *b, const char *before, const char *text, const char *after)
{
    buf_puts(b, before);
    put_text(b, text);
    buf_puts(b, after);
}

static void put_link(struct buf *b, const char *path, const char *query)
{
    const char *mark = query[0] != '\0' ? "?" : "";
    put(b, "<a href=\"", path, mark);
    put(b, "", query, "\">");
    put(b, "", path, mark);
    put(b, "", query, "</a>");
}

static const char *type_text(const struct param *p)
{
    static const char *const texts[] = {
        [PARAM_TEXT] = "text",          [PARAM_LIST] = "list",      [PARAM_CHOICE] = "one of",
        [PARAM_CHOICES] = "some of",    [PARAM_ZONE] = "time zone", [PARAM_TIME] = "time",
        [PARAM_COUNT] = "whole number", [PARAM_NUMBER] = "number",  [PARAM_BBOX] = "box",
    };
    return texts[p->type];
}

static void put_choices(struct buf *b, const char *list)
{
    const char *separator = " ";
    while (*list != '\0') {
        size_t n = strcspn(list, ",");
        buf_printf(b, "%s<code>%.*s</code>", separator, (int)n, list);
        separator = ", ";
        list += n + (list[n] == ',');
    }
}

static void put_param(struct buf *b, const struct param *p)
{
    put(b, "<tr><td><code>", p->name, "</code>");
    if (p->aliases != NULL)
        put(b, "<br><small>also ", p->aliases, "</small>");
    buf_puts(b, "</td><td>");
    buf_puts(b, type_text(p));
    if (p->choices != NULL)
        put_choices(b, p->choices);
    if (p->type == PARAM_COUNT || p->type == PARAM_NUMBER)
        buf_printf(b, ", %.15g to %.15g", p->min, p->max);
    put(b, "</td><td>", p->standard != NULL ? p->standard : "", "</td><td>");
    put_text(b, p->help);
    if (p->example != NULL)
        put(b, "<br><small>like <code>", p->example, "</code></small>");
    buf_puts(b, "</td></tr>\n");
}

static void put_params(struct buf *b, const struct endpoint *e)
{
    if (e->params == NULL)
        return;
    buf_puts(b, "<details><summary>Parameters</summary>\n<table><tr><th>name</th><th>type</th>"
                "<th>default</th><th>meaning</th></tr>\n");
    for (const struct param *const *t = e->params; *t != NULL; t++) {
        for (const struct param *p = *t; p->name != NULL; p++)
            put_param(b, p);
    }
    buf_puts(b, "</table></details>\n");
}

static void put_columns(struct buf *b, const struct endpoint *e)
{
    if (e->column_count == 0)
        return;
    buf_puts(b, "<details><summary>Columns</summary>\n<table><tr><th>name</th><th>unit</th>"
                "<th>meaning</th></tr>\n");
    for (size_t i = 0; i < e->column_count; i++) {
        const struct column *c = &e->columns[i];
        put(b, "<tr><td><code>", c->name, "</code></td><td>");
        put(b, "", c->unit, "</td><td>");
        put(b, "", c->help,
            c->flags & COLUMN_EXTRA ? " <small>(only when named in vars)</small></td></tr>\n"
                                    : "</td></tr>\n");
    }
    buf_puts(b, "</table></details>\n");
}

static void put_endpoint(struct buf *b, const struct endpoint *e)
{
    put(b, "<section id=\"", e->path, "\">\n<h2>");
    put(b, "", e->path, "</h2>\n<p><strong>");
    put(b, "", e->summary, ".</strong> ");
    put(b, "", e->help, "</p>\n");
    for (size_t i = 0; i < ARRAY_SIZE(e->examples) && e->examples[i] != NULL; i++) {
        buf_puts(b, i == 0 ? "<ul>\n<li>" : "<li>");
        put_link(b, e->path, e->examples[i]);
        buf_puts(b, "</li>\n");
    }
    if (e->examples[0] != NULL)
        buf_puts(b, "</ul>\n");
    put_params(b, e);
    put_columns(b, e);
    buf_puts(b, "</section>\n");
}

static void put_formats(struct buf *b)
{
    buf_puts(b, "<section>\n<h2>Formats</h2>\n<p>By <code>format=</code>, by a suffix of the path "
                "(<code>/api/metar.json</code>) or by <code>Accept</code>. Parquet is not "
                "offered: Debian has no library for it.</p>\n<table><tr><th>name</th><th>type</th>"
                "<th>what it is</th></tr>\n");
    for (const struct encoder *const *f = encoders; *f != NULL; f++) {
        put(b, "<tr><td><code>", (*f)->name, "</code></td><td>");
        put(b, "", (*f)->mime, "</td><td>");
        put(b, "", (*f)->help, "</td></tr>\n");
    }
    buf_puts(b, "</table>\n</section>\n");
}

static void put_contents(struct buf *b)
{
    buf_puts(b, "<nav><ul>\n");
    for (const struct endpoint *const *e = endpoints; *e != NULL; e++) {
        if (!endpoint_is_native(*e) || ((*e)->flags & ENDPOINT_ARGUMENT))
            continue;
        put(b, "<li><a href=\"#", (*e)->path, "\">");
        put(b, "", (*e)->path, "</a> ");
        put(b, "", (*e)->summary, "</li>\n");
    }
    buf_puts(b, "</ul></nav>\n");
}

/* The help of those below /cgi-bin is a page of their own. */
static void put_services(struct buf *b)
{
    buf_puts(b, "<section>\n<h2>Services of the IEM</h2>\n<p>Served alike, with the parameters and "
                "formats that their clients know.</p>\n<ul>\n");
    for (const struct endpoint *const *e = endpoints; *e != NULL; e++) {
        if (endpoint_is_native(*e))
            continue;
        bool page = str_starts((*e)->path, "/cgi-bin/");
        buf_puts(b, "<li>");
        if (page)
            put_link(b, (*e)->path, "help");
        else
            put(b, "<code>", (*e)->path, "</code>");
        put(b, " ", (*e)->summary, ". ");
        put(b, "", page ? "" : (*e)->help, "</li>\n");
    }
    buf_puts(b, "</ul>\n</section>\n");
}

void docs_page(struct buf *b)
{
    buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta "
                "name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                "<title>obstream: API</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>"
                "body{font-family:sans-serif;max-width:64em;margin:1em auto;padding:0 1em;"
                "line-height:1.4}td,th{text-align:left;vertical-align:top;padding:.2em .6em;"
                "border-bottom:1px solid #ccc}li a{overflow-wrap:anywhere}summary{cursor:pointer;"
                "margin:.4em 0}</style></head>\n<body>\n<h1>Archives of METAR, SHEF and climate "
                "observations</h1>\n<p>Answers stream; there is no limit on stations, span or "
                "rows. Errors name the parameter, the value and the remedy. A selection too long "
                "for a URL goes by POST as a form. For programs: <a href=\"/api/openapi.json\">"
                "/api/openapi.json</a> (OpenAPI 3.1).</p>\n");
    put_contents(b);
    for (const struct endpoint *const *e = endpoints; *e != NULL; e++) {
        if (endpoint_is_native(*e) && !((*e)->flags & ENDPOINT_ARGUMENT))
            put_endpoint(b, *e);
    }
    put_formats(b);
    put_services(b);
    buf_puts(b, "</body>\n</html>\n");
}
