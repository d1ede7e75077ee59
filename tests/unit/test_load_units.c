/* The units that the loader takes for the archive's are those that the server tells. */
#include "obstream/api/endpoint.h"
#include "obstream/core/strutil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Of src/load/units.h, whose plan is another than the one of the streams. */
const char *units_of(const char *column);

static bool is_loaded(const char *column)
{
    static const char *const computed[] = { "avg", "gdd", "hdd", "cdd", "sdd", "distance" };
    for (size_t i = 0; i < ARRAY_SIZE(computed); i++) {
        if (str_eq(computed[i], column))
            return false;
    }
    return true;
}

static unsigned compare(const struct endpoint *at)
{
    unsigned compared = 0;
    for (size_t c = 0; c < at->column_count; c++) {
        const struct column *column = &at->columns[c];
        const char *own = units_of(column->name);
        if (!is_loaded(column->name))
            continue;
        if (column->unit[0] == '\0' ? own != NULL && column->type != CELL_FLOAT8
                                    : own == NULL || !str_eq(own, column->unit))
            fail_msg("%s: the loader takes %s, the server tells \"%s\"", column->name,
                     own == NULL ? "none" : own, column->unit);
        compared += column->unit[0] != '\0';
    }
    return compared;
}

static void test_units_are_those_of_the_server(void **state)
{
    static const char *const paths[] = { "/api/metar", "/api/climodat", "/api/stations" };
    unsigned compared = 0;
    (void)state;
    for (size_t i = 0; endpoints[i] != NULL; i++) {
        for (size_t k = 0; k < ARRAY_SIZE(paths); k++) {
            if (str_eq(endpoints[i]->path, paths[k]))
                compared += compare(endpoints[i]);
        }
    }
    assert_true(compared > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_are_those_of_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
