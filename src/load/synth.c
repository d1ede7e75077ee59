/* The subcommand: options, progress, summary. */
#include "obstream/load/synth.h"

#include "obstream/core/civil.h"
#include "obstream/core/clock.h"
#include "obstream/core/strutil.h"
#include "obstream/core/timeparse.h"
#include "obstream/load/facts.h"
#include "obstream/load/synth_parts.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned bit;
} sets[] = {
    { "metar", SYNTH_SET_METAR },       { "shef", SYNTH_SET_SHEF },
    { "climodat", SYNTH_SET_CLIMODAT }, { "normals", SYNTH_SET_NORMALS },
    { "summary", SYNTH_SET_SUMMARY },
};

struct command {
    struct synth_options o;
    bool shef_years, climodat_years, climodat_stations; /* given, not derived */
    bool gzip, help;
    const char *dir;
};

enum option_kind { OPT_SIZE, OPT_YEARS, OPT_SEED, OPT_END, OPT_SETS, OPT_TEXT, OPT_FLAG };

/* Where an option goes; `given` is the offset of a flag, 0 none. */
static const struct option_row {
    const char *name;
    enum option_kind kind;
    size_t at, given;
} rows[] = {
    { "stations", OPT_SIZE, offsetof(struct command, o.stations), 0 },
    { "shef-sites", OPT_SIZE, offsetof(struct command, o.shef_sites), 0 },
    { "climodat-stations", OPT_SIZE, offsetof(struct command, o.climodat_stations),
      offsetof(struct command, climodat_stations) },
    { "years", OPT_YEARS, offsetof(struct command, o.years), 0 },
    { "shef-years", OPT_YEARS, offsetof(struct command, o.shef_years),
      offsetof(struct command, shef_years) },
    { "climodat-years", OPT_YEARS, offsetof(struct command, o.climodat_years),
      offsetof(struct command, climodat_years) },
    { "threads", OPT_YEARS, offsetof(struct command, o.threads), 0 },
    { "seed", OPT_SEED, offsetof(struct command, o.seed), 0 },
    { "end", OPT_END, offsetof(struct command, o.end), 0 },
    { "datasets", OPT_SETS, offsetof(struct command, o.sets), 0 },
    { "write", OPT_TEXT, offsetof(struct command, dir), 0 },
    { "gzip", OPT_FLAG, offsetof(struct command, gzip), 0 },
    { "help", OPT_FLAG, offsetof(struct command, help), 0 },
};

static void print_help(void)
{
    printf("Usage: obstream synth [OPTION]...\n"
           "Make an archive of made-up weather over real stations, and load it into the\n"
           "database of the configuration, or write it as CSV files.\n\n"
           "  --stations N            METAR stations, at most %zu (60)\n"
           "  --shef-sites N          SHEF sites, at most %zu (20)\n"
           "  --climodat-stations N   %d state averages, then %zu COOP sites, then the METAR\n"
           "                          stations, at most %zu (the first two and --stations)\n"
           "  --years N               years of data, up to --end, at most 130 (1)\n"
           "  --shef-years N, --climodat-years N   where they differ from --years\n"
           "  --end YYYY-MM-DD        00 UTC of this day ends the archive (today, so that\n"
           "                          yesterday is the last day; give a day when the same\n"
           "                          bytes shall come again on another day)\n"
           "  --seed N                another seed, another archive (1)\n"
           "  --datasets LIST         of metar, shef, climodat, normals, summary (all but\n"
           "                          summary, the daily summaries of the METAR stations)\n"
           "  --write DIR             write DIR/*.csv instead of loading\n"
           "  --gzip                  with --write: DIR/*.csv.gz\n"
           "  --threads N             as many as cores; the bytes do not depend on it\n\n"
           "The same seed and options give the same bytes; a row depends on seed, station and\n"
           "time only, so loading a larger archive over a smaller one adds to it.\n",
           fact_metar_count(), fact_shef_count(), FACT_CONTIGUOUS, fact_coop_count(),
           synth_climate_count());
}

static bool parse_number(const char *name, const char *text, uint64_t max, uint64_t *v,
                         struct err *e)
{
    char *rest;
    errno = 0;
    *v = strtoull(text, &rest, 10);
    if (*text >= '0' && *text <= '9' && *rest == '\0' && errno == 0 && *v <= max)
        return true;
    return err_set(e, ERR_PARAM, "--%s %s: give a whole number from 0 to %llu", name, text,
                   (unsigned long long)max);
}

static bool parse_sets(const char *text, unsigned *bits, struct err *e)
{
    *bits = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, ","), i = 0;
        while (i < ARRAY_SIZE(sets) &&
               (strlen(sets[i].name) != n || strncmp(sets[i].name, text, n) != 0))
            i++;
        if (i == ARRAY_SIZE(sets))
            return err_set(e, ERR_PARAM,
                           "--datasets: there is no \"%.*s\"; give some of metar, shef, climodat, "
                           "normals, summary, separated by commas",
                           (int)n, text);
        *bits |= sets[i].bit;
        text += n + (text[n] == ',');
    }
    return true;
}

static bool take_option(struct command *c, const struct option_row *r, const char *text,
                        struct err *e)
{
    char *at = (char *)c + r->at;
    uint64_t v = 0;
    if (r->given != 0)
        *((bool *)((char *)c + r->given)) = true;
    switch (r->kind) {
    case OPT_SIZE:
        if (!parse_number(r->name, text, 1000000, &v, e))
            return false;
        *(size_t *)at = (size_t)v;
        return true;
    case OPT_YEARS:
        if (!parse_number(r->name, text, 1000, &v, e))
            return false;
        *(int *)at = (int)v;
        return true;
    case OPT_SEED:
        return parse_number(r->name, text, UINT64_MAX, (uint64_t *)at, e);
    case OPT_END:
        return day_parse(text, (int64_t *)at, e);
    case OPT_SETS:
        return parse_sets(text, (unsigned *)at, e);
    case OPT_TEXT:
        *(const char **)at = text;
        return true;
    case OPT_FLAG:
        *(bool *)at = true;
        return true;
    }
    return false;
}

static bool parse(struct command *c, int argc, char **argv, struct err *e)
{
    struct option longs[ARRAY_SIZE(rows) + 1] = { { 0 } };
    int at;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        longs[i] = (struct option){ rows[i].name,
                                    rows[i].kind == OPT_FLAG ? no_argument : required_argument,
                                    NULL, 'a' };
    synth_options_init(&c->o);
    optind = 0; /* the main program may have parsed before */
    for (int got; (got = getopt_long(argc, argv, "h", longs, &at)) != -1;) {
        if (got == 'h')
            c->help = true;
        else if (got != 'a')
            return err_set(e, ERR_PARAM, "see obstream synth --help");
        else if (!take_option(c, &rows[at], optarg, e))
            return false;
    }
    if (optind < argc)
        return err_set(e, ERR_PARAM, "\"%s\" is not an option; see obstream synth --help",
                       argv[optind]);
    if (c->gzip && c->dir == NULL)
        return err_set(e, ERR_PARAM, "--gzip goes with --write DIR");
    if (!c->shef_years)
        c->o.shef_years = c->o.years;
    if (!c->climodat_years)
        c->o.climodat_years = c->o.years;
    if (!c->climodat_stations)
        c->o.climodat_stations = FACT_CONTIGUOUS + fact_coop_count() + c->o.stations;
    return true;
}

static void show_progress(void *ctx, const struct synth_table_info *t, double part,
                          const struct synth_counts *c)
{
    int64_t *last = ctx, now = clock_mono();
    uint64_t rows_made = 0;
    if (now - *last < USEC_PER_SEC / 4 && part < 1)
        return;
    *last = now;
    for (int i = 0; i < SYNTH_TABLE_COUNT; i++)
        rows_made += c->rows[i];
    fprintf(stderr, "\r%-18s %5.1f %%  %llu rows\033[K", t->name, part * 100,
            (unsigned long long)rows_made);
    if (part >= 1)
        fputc('\r', stderr);
}

static void print_summary(const struct synth_counts *c, const struct command *cmd, double seconds)
{
    uint64_t total = 0, bytes = 0;
    int tables = 0;
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    for (int t = 0; t < SYNTH_TABLE_COUNT; t++) {
        if (c->rows[t] == 0)
            continue;
        printf("%-18s %12llu rows %10.1f MB\n", synth_table(t)->name,
               (unsigned long long)c->rows[t], (double)c->bytes[t] / 1e6);
        total += c->rows[t];
        bytes += c->bytes[t];
        tables++;
    }
    printf("%s %llu rows, %.1f MB, in %d tables in %.1f s (%.0f rows/s)\n",
           cmd->dir != NULL ? "wrote" : "loaded", (unsigned long long)total, (double)bytes / 1e6,
           tables, seconds, (double)total / (seconds > 0 ? seconds : 1));
}

static bool run(const struct command *c, const struct conf *conf, struct err *e)
{
    struct synth_counts counts = { { 0 }, { 0 } };
    int64_t start = clock_mono(), last = 0;
    bool terminal = isatty(STDERR_FILENO);
    struct synth_sink *sink =
        c->dir != NULL ? synth_dir_new(c->dir, c->gzip, e) : synth_load_new(conf, e);
    if (sink == NULL)
        return false;
    bool ok = synth_run(&c->o, sink, &counts, terminal ? show_progress : NULL, &last, e);
    if (ok)
        print_summary(&counts, c, (double)(clock_mono() - start) / USEC_PER_SEC);
    if (c->dir != NULL)
        synth_dir_free(sink);
    else
        synth_load_free(sink);
    return ok;
}

int synth_main(int argc, char **argv, const struct conf *conf)
{
    struct command c = { .dir = NULL };
    struct err e = ERR_INIT;
    bool ok = parse(&c, argc, argv, &e);
    if (ok && c.help) {
        print_help();
        return EXIT_SUCCESS;
    }
    if (ok)
        ok = run(&c, conf, &e);
    if (!ok)
        fprintf(stderr, "obstream synth: %s\n", e.msg);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
