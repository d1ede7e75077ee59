#include "obstream/query/column.h"

#include <string.h>

const struct column *column_find(const struct column *columns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    }
    return NULL;
}
