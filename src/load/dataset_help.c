/* What a file for a data set may hold, for people to read. */
#include "dataset.h"
#include "obstream/core/strutil.h"
#include "units.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 64 };

static const char *const type_words[] = {
    [VALUE_ID] = "id",
    [VALUE_TEXT] = "text",
    [VALUE_CHAR] = "text",
    [VALUE_FLOAT4] = "number",
    [VALUE_FLOAT8] = "number",
    [VALUE_INT2] = "whole number",
    [VALUE_INT4] = "whole number",
    [VALUE_BOOL] = "true or false",
    [VALUE_INSTANT] = "time, UTC without offset",
    [VALUE_DAY] = "day",
    [VALUE_INTERVAL] = "interval (01:00:00, PT1H)",
    [VALUE_TEXTS] = "texts ({A,B} or A B)",
    [VALUE_INTS] = "whole numbers ({1,2} or 1 2)",
};

static void put_column(const struct load_dataset *d, const struct load_column *c, struct buf *out)
{
    char type[WORDS];
    const char *unit = units_of(c->name);
    bool key = word_in(d->required, c->name, strlen(c->name));
    if (c->size != 0)
        snprintf(type, sizeof(type), "%s, at most %u characters", type_words[c->type], c->size);
    else
        snprintf(type, sizeof(type), "%s%s%s", type_words[c->type], unit == NULL ? "" : ", ",
                 unit == NULL ? "" : unit);
    if (c->flags & COL_ZONE)
        snprintf(type, sizeof(type), "time zone (America/Chicago)");
    bool more = key || c->aliases != NULL;
    buf_printf(out, more ? "  %-21s %-29s" : "  %-21s %s", c->name, type);
    if (key)
        buf_puts(out, " required");
    if (c->aliases != NULL)
        buf_printf(out, "%s or %s", key ? "," : "", c->aliases);
    buf_putc(out, '\n');
}

void dataset_describe(const struct load_dataset *d, struct buf *out)
{
    buf_printf(out, "%s: %s, table %s\n\nColumns of a file, in any order:\n", d->name, d->help,
               d->table);
    for (unsigned i = 0; i < d->count; i++)
        put_column(d, &d->columns[i], out);
    if (d->wide)
        buf_puts(out, "\nA file without key and value has one column for each SHEF key instead.\n");
    if (d->ignored != NULL)
        buf_printf(out, "\nPassed over: %s\n", d->ignored);
    buf_printf(out, "\nA row is known by: %s\n", d->key);
}
