/* Splitting of SHEF parameter codes and searches in the sorted tables. */
#include "obstream/query/shef.h"

#include "obstream/core/strutil.h"

#include <stdlib.h>
#include <string.h>

enum { PE_LEN = 2, FRONT_LEN = 4, BACK_LEN = 2, USUAL_LEN = 7, SOURCE_MAX = 255 };

/* Takes up to `want` characters off the front of what is left. */
static unsigned char take(const char **p, size_t *left, size_t want)
{
    size_t n = *left < want ? *left : want;
    *p += n;
    *left -= n;
    return (unsigned char)n;
}

struct shef_key shef_key_split(const char *key, size_t len)
{
    size_t source = len > USUAL_LEN ? len - FRONT_LEN - BACK_LEN : 1;
    if (source > SOURCE_MAX)
        source = SOURCE_MAX;
    struct shef_key k = { .pe = key };
    const char *p = key;
    k.pe_len = take(&p, &len, PE_LEN);
    k.duration = p;
    k.duration_len = take(&p, &len, 1);
    k.type = p;
    k.type_len = take(&p, &len, 1);
    k.source = p;
    k.source_len = take(&p, &len, source);
    if (len > BACK_LEN)
        take(&p, &len, len - BACK_LEN);
    k.extremum = p;
    k.extremum_len = take(&p, &len, 1);
    k.probability = p;
    k.probability_len = take(&p, &len, 1);
    return k;
}

static int compare_element(const void *pe, const void *row)
{
    return strncmp(pe, ((const struct shef_element *)row)->pe, PE_LEN);
}

const struct shef_element *shef_element_find(const char *pe)
{
    size_t count;
    const struct shef_element *table = shef_elements(&count);
    return bsearch(pe, table, count, sizeof(*table), compare_element);
}

struct wanted {
    const char *code;
    size_t len;
};

static int compare_code(const void *wanted, const void *row)
{
    const struct wanted *w = wanted;
    const char *code = ((const struct shef_code *)row)->code;
    int order = strncmp(w->code, code, w->len);
    return order != 0 ? order : -(code[w->len] != '\0');
}

const struct shef_code *shef_code_find(const struct shef_code *table, size_t count,
                                       const char *code, size_t len)
{
    struct wanted w = { code, strnlen(code, len) };
    if (w.len == 0)
        return NULL;
    return bsearch(&w, table, count, sizeof(*table), compare_code);
}

enum shef_total shef_total(const char *pe, size_t len)
{
    /* Table 1 of the manual: amounts that fell, melted, evaporated or came in over a duration. */
    static const char *const sums[] = { "EA", "EM", "EP", "ET", "EV", "LC", "PP",
                                        "PY", "QC", "QV", "RI", "RT", "SF", "UL" };
    if (len < PE_LEN)
        return SHEF_TOTAL_NONE;
    if (memcmp(pe, "PC", PE_LEN) == 0)
        return SHEF_TOTAL_INCREMENT;
    for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
        if (memcmp(pe, sums[i], PE_LEN) == 0)
            return SHEF_TOTAL_SUM;
    }
    return SHEF_TOTAL_NONE;
}
