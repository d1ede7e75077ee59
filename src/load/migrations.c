/* The files of sql/, built in: an installed program needs none. The Makefile names them as
 * prerequisites of this file's object; the paths are those seen from the project's folder. */
#include "obstream/core/strutil.h"
#include "obstream/load/schema.h"

/* version, name; the file is sql/VERSION_NAME.sql */
#define MIGRATIONS(X)                                                                              \
    X(001, base)                                                                                   \
    X(010, mesosite)                                                                               \
    X(020, asos)                                                                                   \
    X(030, hads)                                                                                   \
    X(040, coop)                                                                                   \
    X(050, iem)                                                                                    \
    X(140, coop_rollup)

#define EMBED(version, name)                                                                       \
    __asm__(".pushsection .rodata\n"                                                               \
            ".global obstream_sql_" #name "\n"                                                     \
            ".hidden obstream_sql_" #name "\n"                                                     \
            "obstream_sql_" #name ":\n"                                                            \
            ".incbin \"sql/" #version "_" #name ".sql\"\n"                                         \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char obstream_sql_##name[] __attribute__((visibility("hidden")));

MIGRATIONS(EMBED)

/* 1##version - 1000: leading zeros would make it octal */
#define ROW(version, name) { 1##version - 1000, #name, obstream_sql_##name },

static const struct schema_migration migrations[] = { MIGRATIONS(ROW) };

const struct schema_migration *schema_migrations(unsigned *count)
{
    *count = ARRAY_SIZE(migrations);
    return migrations;
}
