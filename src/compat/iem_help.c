/* Help pages and failures of the /cgi-bin services. */
#include "compat.h"

#include <ctype.h>

static void put_escaped(struct buf *b, const char *s)
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

static const char *type_text(enum iem_type type)
{
    static const char *const texts[] = {
        [IEM_TEXT] = "text",
        [IEM_LIST] = "list: repeated or comma separated",
        [IEM_REPEAT] = "list: repeated",
        [IEM_INT] = "whole number",
        [IEM_NUMBER] = "number",
        [IEM_BOOL] = "yes or no",
        [IEM_ZONE] = "IANA time zone",
        [IEM_AWARE] = "time with its zone",
        [IEM_TIME] = "time",
        [IEM_DATE] = "day",
    };
    return texts[type];
}

static void put_cell(struct buf *b, const char *s)
{
    buf_puts(b, "<td>");
    put_escaped(b, s);
    buf_puts(b, "</td>");
}

static void put_row(struct buf *b, const struct iem_param *row)
{
    if (row->flags & IEM_HIDDEN)
        return;
    buf_puts(b, "<tr>");
    put_cell(b, row->name);
    put_cell(b, type_text(row->type));
    put_cell(b, row->standard != NULL       ? row->standard
                : row->flags & IEM_REQUIRED ? "required"
                                            : "");
    buf_puts(b, "<td>");
    put_escaped(b, row->help);
    if (row->choices != NULL) {
        buf_puts(b, "<br>One of: ");
        put_escaped(b, row->choices);
    }
    buf_puts(b, "</td></tr>\n");
}

static void put_params(struct buf *b, const struct iem_service *s)
{
    buf_puts(b,
             "<h2>Parameters</h2>\n<p>By GET or as a POST form. Names may end in [].</p>\n<table>"
             "\n<tr><th>name</th><th>type</th><th>default</th><th>meaning</th></tr>\n");
    for (const struct iem_param *const *t = s->params; *t != NULL; t++) {
        for (const struct iem_param *row = *t; row->name != NULL; row++)
            put_row(b, row);
    }
    buf_puts(b, "</table>\n");
}

static void put_lines(struct buf *b, struct arena *a, const char *text)
{
    buf_puts(b, "<h2>Where this service is meant to differ from the IEM's</h2>\n<ul>\n");
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        const char *line = arena_strndup(a, text, n);
        buf_puts(b, "<li>");
        put_escaped(b, line != NULL ? line : "");
        buf_puts(b, "</li>\n");
        text += n + (text[n] == '\n');
    }
    buf_puts(b, "</ul>\n");
}

static void put_examples(struct buf *b, const struct endpoint *e)
{
    buf_puts(b, "<h2>Examples</h2>\n<ul>\n");
    for (size_t i = 0; i < ARRAY_SIZE(e->examples) && e->examples[i] != NULL; i++) {
        buf_puts(b, "<li><a href=\"");
        put_escaped(b, e->path);
        buf_putc(b, '?');
        put_escaped(b, e->examples[i]);
        buf_puts(b, "\">");
        put_escaped(b, e->examples[i]);
        buf_puts(b, "</a></li>\n");
    }
    buf_puts(b, "</ul>\n");
}

void iem_help_page(struct api_request *r, const struct iem_service *s)
{
    const struct endpoint *e = r->endpoint;
    struct buf *b = reply_body(r, 200, "text/html; charset=utf-8");
    buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>");
    put_escaped(b, e->path);
    buf_puts(b,
             "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:1em auto}"
             "td,th{text-align:left;vertical-align:top;padding:.2em .6em;border-bottom:1px solid "
             "#ccc}</style></head>\n<body>\n<h1>");
    put_escaped(b, e->path);
    buf_puts(b, "</h1>\n<p><strong>");
    put_escaped(b, e->summary);
    buf_puts(b, "</strong></p>\n<p>");
    put_escaped(b, e->help);
    buf_puts(b, "</p>\n");
    put_params(b, s);
    if (s->differs != NULL)
        put_lines(b, r->arena, s->differs);
    put_examples(b, e);
    buf_puts(b, "</body>\n</html>\n");
}

/* A sentence as one line. */
static void put_sentence(struct buf *b, const char *s)
{
    char last = '\0';
    for (; *s != '\0'; s++) {
        last = iscntrl((unsigned char)*s) ? ' ' : *s;
        buf_putc(b, last);
    }
    buf_puts(b, last == '?' || last == '.' ? "\n" : ".\n");
}

void iem_fail(struct api_request *r)
{
    bool faulty = r->faults.count > 0;
    int status = err_status(faulty ? ERR_UNPROCESSABLE : r->err.kind);
    struct buf *b = reply_body(r, status, "text/plain");
    for (size_t i = 0; i < r->faults.count; i++) {
        buf_puts(b, r->faults.items[i].param);
        buf_puts(b, ": ");
        put_sentence(b, r->faults.items[i].detail);
    }
    if (!faulty)
        put_sentence(b, r->err.msg);
    if (!faulty && r->err.kind == ERR_UNAVAILABLE)
        reply_header_add(r, "Retry-After", "2");
}
