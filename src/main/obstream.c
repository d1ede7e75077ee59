/* The operator's tool: a table of sub-commands over one configuration. */
#include "obstream/core/clock.h"
#include "obstream/core/strutil.h"
#include "obstream/load/load.h"
#include "obstream/load/rollup.h"
#include "obstream/load/schema.h"
#include "obstream/load/status.h"
#include "obstream/load/synth.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum exit_status { EXIT_OK = 0, EXIT_REJECTED = 1, EXIT_FAILED = 2 };

struct command {
    const char *name;
    int (*run)(int argc, char **argv, const struct conf *conf); /* argv[0] is the name */
    const char *arguments, *help;
    const char *detail; /* printed by "help NAME"; NULL: the command has its own --help */
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
    stop = sig;
}

/* The first signal ends the work at the next safe point, a second one the program. */
static void catch_signals(void)
{
    struct sigaction sa = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int fail(const char *what, const struct err *e)
{
    fprintf(stderr, "obstream: %s%s%s\n", what == NULL ? "" : what, what == NULL ? "" : ": ",
            e->msg);
    return EXIT_FAILED;
}

static int usage_error(const char *command)
{
    fprintf(stderr, "try: obstream help%s%s\n", command == NULL ? "" : " ",
            command == NULL ? "" : command);
    return EXIT_FAILED;
}

static bool is_dataset(const char *name)
{
    size_t i = 0;
    while (load_dataset_name(i) != NULL && !str_eq(load_dataset_name(i), name))
        i++;
    return load_dataset_name(i) != NULL;
}

/* ---- schema ---- */

static void note_migration(void *ctx, const struct schema_migration *m)
{
    int *applied = ctx;
    printf("applied %03d_%s\n", m->version, m->name);
    ++*applied;
}

/* Each distinct connection string once. */
static bool is_repeated(const struct conf *conf, int d)
{
    for (int k = 0; k < d; k++) {
        if (str_eq(conf_dsn(conf, (enum dataset)k), conf_dsn(conf, (enum dataset)d)))
            return true;
    }
    return false;
}

static int run_schema(int argc, char **argv, const struct conf *conf)
{
    if (argc > 1) {
        fprintf(stderr, "obstream schema: \"%s\" is not understood\n", argv[1]);
        return usage_error("schema");
    }
    for (int d = 0; d < DATASET_COUNT; d++) {
        struct err e = ERR_INIT;
        int applied = 0;
        if (is_repeated(conf, d))
            continue;
        if (!schema_apply(conf_dsn(conf, (enum dataset)d), note_migration, &applied, &e))
            return fail("schema", &e);
        if (applied == 0)
            puts("the schema is up to date");
    }
    return EXIT_OK;
}

/* ---- load ---- */

struct progress {
    const char *path;
    int64_t begun, shown; /* monotonic microseconds */
};

static const char *group_digits(uint64_t v, char *out)
{
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);
    char *p = out;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return out;
}

static uint64_t rate(uint64_t rows, int64_t usec)
{
    return usec <= 0 ? rows : (uint64_t)((double)rows * 1e6 / (double)usec);
}

static void show_progress(void *ctx, const struct load_counts *c)
{
    struct progress *p = ctx;
    char rows[32], speed[32];
    int64_t now = clock_mono();
    if (now - p->shown < 200000)
        return;
    p->shown = now;
    fprintf(stderr, "\r%s: %s rows, %s rows/s\033[K", p->path, group_digits(c->read, rows),
            group_digits(rate(c->read, now - p->begun), speed));
    fflush(stderr);
}

static void warn(void *ctx, const char *message)
{
    fprintf(stderr, "%s: %s\n", (const char *)ctx, message);
}

static void print_summary(const char *path, const struct load_counts *c, int64_t usec)
{
    char speed[32];
    printf("loaded %s: %" PRIu64 " rows read, ", path, c->read);
    if (c->rows > c->read)
        printf("%" PRIu64 " values, ", c->rows);
    printf("%" PRIu64 " new, %" PRIu64 " changed, %" PRIu64 " unchanged, %" PRIu64 " rejected in "
           "%.1f s (%s rows/s)\n",
           c->added, c->changed, c->unchanged, c->rejected, (double)usec / 1e6,
           group_digits(rate(c->read, usec), speed));
    fflush(stdout);
}

struct load_arguments {
    const char *dataset, *table, *rejects;
    enum dataset database;
};

static int load_one(const struct load_arguments *a, const char *path, const struct conf *conf)
{
    struct progress p = { .path = path, .begun = clock_mono() };
    char *rejects = NULL;
    bool standard = str_eq(path, "-");
    if (a->rejects == NULL && asprintf(&rejects, "%s.rejects", standard ? "stdin" : path) < 0)
        return EXIT_FAILED;
    struct load_options o = {
        .dsn = conf_dsn(conf, a->database),
        .source = path,
        .table = a->table,
        .rejects = a->rejects != NULL ? a->rejects : rejects,
        .stop = &stop,
        .warn = warn,
        .warn_ctx = (void *)(uintptr_t)path,
    };
    struct load_counts c;
    struct err e = ERR_INIT;
    bool terminal = isatty(STDERR_FILENO) == 1;
    bool ok = load_file(a->dataset, path, &o, terminal ? show_progress : NULL, &p, &c, &e);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (ok || c.read != 0)
        print_summary(path, &c, clock_mono() - p.begun);
    if (c.rejected != 0)
        fprintf(stderr, "%s: rejected rows are in %s\n", path, o.rejects);
    free(rejects);
    if (!ok && c.read != 0)
        fprintf(stderr,
                "%s: not loaded to the end; what is counted as new or changed stays, "
                "loading again completes it\n",
                path);
    if (!ok)
        return fail(path, &e);
    return c.rejected != 0 ? EXIT_REJECTED : EXIT_OK;
}

static const struct option load_options[] = {
    { "table", required_argument, NULL, 't' },
    { "rejects", required_argument, NULL, 'r' },
    { NULL, 0, NULL, 0 },
};

static int run_load(int argc, char **argv, const struct conf *conf)
{
    struct load_arguments a = { .database = DATASET_ASOS };
    struct err e = ERR_INIT;
    int c, status = EXIT_OK;
    while ((c = getopt_long(argc, argv, "t:r:", load_options, NULL)) != -1) {
        if (c == 't')
            a.table = optarg;
        else if (c == 'r')
            a.rejects = optarg;
        else
            return usage_error("load");
    }
    if (argc - optind < 2) {
        fputs("obstream load: a data set and at least one file are needed\n", stderr);
        return usage_error("load");
    }
    a.dataset = argv[optind++];
    if (a.rejects != NULL && argc - optind > 1) {
        fputs("obstream load: --rejects takes one file at a time\n", stderr);
        return EXIT_FAILED;
    }
    if (!load_dataset_where(a.dataset, &a.database, &e))
        return fail("load", &e);
    for (; optind < argc && stop == 0; optind++) {
        int s = load_one(&a, argv[optind], conf);
        status = s > status ? s : status;
    }
    return stop != 0 ? EXIT_FAILED : status;
}

/* ---- status ---- */

static int run_status(int argc, char **argv, const struct conf *conf)
{
    bool exact = argc == 2 && str_eq(argv[1], "--exact");
    if (argc > 1 && !exact) {
        fprintf(stderr, "obstream status: \"%s\" is not understood\n", argv[1]);
        return usage_error("status");
    }
    for (int d = 0; d < DATASET_COUNT; d++) {
        struct err e = ERR_INIT;
        struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
        if (is_repeated(conf, d))
            continue;
        bool ok = status_report(conf_dsn(conf, (enum dataset)d), exact, &out, &e);
        if (ok)
            fputs(out.data, stdout);
        buf_release(&out);
        if (!ok)
            return fail("status", &e);
    }
    return EXIT_OK;
}

/* ---- rollup ---- */

static int run_rollup(int argc, char **argv, const struct conf *conf)
{
    bool all = argc == 2 && str_eq(argv[1], "--all");
    struct rollup_counts c;
    struct err e = ERR_INIT;
    if (argc > 1 && !all) {
        fprintf(stderr, "obstream rollup: \"%s\" is not understood\n", argv[1]);
        return usage_error("rollup");
    }
    bool ok = rollup_run(conf_dsn(conf, DATASET_COOP), all, &stop, &c, &e);
    printf("rolled up %" PRIu64 " months of %" PRIu64 " stations\n", c.months, c.stations);
    return ok ? EXIT_OK : fail("rollup", &e);
}

/* ---- the program ---- */

static int run_help(int argc, char **argv, const struct conf *conf);

static const struct command commands[] = {
    { "schema", run_schema, "", "make the tables, or bring them up to date",
      "Applies the migrations that are built in and that the database lacks, each in a\n"
      "transaction. Safe to repeat, and to run from several places at once.\n" },
    { "load", run_load, "[--table TABLE] [--rejects FILE] DATASET FILE...",
      "load CSV files, plain or gzip",
      "Reads CSV (or tab separated) files by their header line: columns in any order, missing\n"
      "ones stay null. The answers of obstream and of the IEM request services load as they are,\n"
      "in native units (the default) and UTC.\n"
      "Loading a file again changes nothing; a row with a known key and other values replaces the\n"
      "old one. Rows that cannot be loaded go to FILE.rejects with line and reason.\n"
      "\n"
      "  FILE              - is standard input\n"
      "  --table TABLE     a sibling of the data set's table: normals --table climate51\n"
      "  --rejects FILE    where rejected rows go\n"
      "\n"
      "Exit status: 0 all loaded, 1 some rows rejected, 2 failed.\n" },
    { "synth", synth_main, "OPTION...", "make up an archive of any size", NULL },
    { "status", run_status, "[--exact]", "tell what is in the archive",
      "Prints for each table rows, span, partitions and size. Rows are the server's estimate;\n"
      "? stands where it has none yet, + where it lacks a part: the table or partition was not\n"
      "analysed since it was filled. --exact counts the rows.\n" },
    { "rollup", run_rollup, "[--all]", "bring the monthly roll-up of daily climate up to date",
      "Sums up the months whose daily rows were written since the last time, each station in a\n"
      "transaction. Answers are the same without it, and slower. --all makes it anew: needed\n"
      "after a partition was attached, detached or dropped.\n" },
    { "help", run_help, "[COMMAND [DATASET]]", "explain a command, or a data set of load", "" },
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        if (str_eq(commands[i].name, name))
            return &commands[i];
    }
    return NULL;
}

static const char *command_candidate(const void *unused, size_t i)
{
    (void)unused;
    return i < ARRAY_SIZE(commands) ? commands[i].name : NULL;
}

static int unknown_command(const char *name)
{
    if (is_dataset(name)) {
        fprintf(stderr,
                "obstream: %s is no command but a data set\n"
                "try: obstream help load %s, obstream load %s FILE\n",
                name, name, name);
        return EXIT_FAILED;
    }
    const char *near = str_nearest(name, command_candidate, NULL);
    fprintf(stderr, "obstream: there is no command \"%s\"%s%s%s\n", name,
            near == NULL ? "" : "; did you mean ", near == NULL ? "" : near,
            near == NULL ? "" : "?");
    return usage_error(NULL);
}

static void print_help(void)
{
    fputs("usage: obstream [-c FILE] [-o SECTION.KEY=VALUE]... [-d DSN] COMMAND ...\n\n", stdout);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("\n"
          "  -c, --config FILE    configuration (default: $OBSTREAM_CONF, or\n"
          "                       " OBSTREAM_SYSCONFDIR "/obstream/obstream.conf where it exists)\n"
          "  -o, --option K=V     set one key, like -o database.dsn=dbname=weather\n"
          "  -d, --dsn DSN        the database, a libpq connection string; default $OBSTREAM_DSN\n"
          "      --version        print the version\n"
          "  -h, --help           print this; obstream help COMMAND explains a command\n",
          stdout);
}

static int print_columns(const char *dataset)
{
    struct err e = ERR_INIT;
    struct buf text = BUF_INIT(BUF_LIMIT_MESSAGE);
    bool ok = load_dataset_columns(dataset, &text, &e);
    if (ok)
        fputs(text.data, stdout);
    buf_release(&text);
    return ok ? EXIT_OK : fail("help load", &e);
}

static int run_help(int argc, char **argv, const struct conf *conf)
{
    if (argc < 2) {
        print_help();
        return EXIT_OK;
    }
    const struct command *c = find_command(argv[1]);
    if (c == NULL)
        return unknown_command(argv[1]);
    if (c->run == run_load && argc > 2)
        return print_columns(argv[2]);
    if (c->detail == NULL) {
        char name[32], help[] = "--help", *own[] = { name, help, NULL };
        snprintf(name, sizeof(name), "%s", c->name);
        optind = 1;
        return c->run(2, own, conf);
    }
    printf("usage: obstream %s%s%s\n\n%s", c->name, c->arguments[0] == '\0' ? "" : " ",
           c->arguments, c->detail);
    if (c->run == run_load) {
        puts("\nData sets (obstream help load DATASET lists the columns of one):");
        for (size_t i = 0; load_dataset_name(i) != NULL; i++)
            printf("  %-19s %s\n", load_dataset_name(i), load_dataset_help(i));
    }
    return EXIT_OK;
}

static const struct option options[] = {
    { "config", required_argument, NULL, 'c' }, { "option", required_argument, NULL, 'o' },
    { "dsn", required_argument, NULL, 'd' },    { "version", no_argument, NULL, 'V' },
    { "help", no_argument, NULL, 'h' },         { NULL, 0, NULL, 0 },
};

static bool set_option(struct conf *conf, const char *text, struct err *e)
{
    const char *eq = strchr(text, '=');
    if (eq == NULL)
        return err_set(e, ERR_PARAM, "-o %s: not of the form section.key=value", text);
    char *name = strndup(text, (size_t)(eq - text));
    bool ok = name != NULL && conf_set(conf, name, eq + 1, e);
    free(name);
    return ok;
}

static bool read_config(struct conf *conf, const char *file, struct err *e)
{
    static const char standard[] = OBSTREAM_SYSCONFDIR "/obstream/obstream.conf";
    if (file == NULL)
        file = getenv("OBSTREAM_CONF");
    if (file == NULL && access(standard, F_OK) == 0)
        file = standard;
    return file == NULL || conf_read_file(conf, file, e);
}

/* A connection string given by -d serves every data set, whatever the file says. */
static bool set_dsn(struct conf *conf, const char *dsn, struct err *e)
{
    for (int d = 0; d < DATASET_COUNT; d++) {
        char name[32];
        snprintf(name, sizeof(name), "database.%s", dataset_name((enum dataset)d));
        if (conf_dsn(conf, (enum dataset)d) != conf->dsn && !conf_set(conf, name, "", e))
            return false;
    }
    return conf_set(conf, "database.dsn", dsn, e);
}

/* Options before the command. False: the program ends with *status. */
static bool parse_options(struct conf *conf, int argc, char **argv, int *status)
{
    struct err e = ERR_INIT;
    const char *file = NULL;
    int c;
    *status = EXIT_FAILED;
    while ((c = getopt_long(argc, argv, "+c:o:d:h", options, NULL)) != -1) {
        file = c == 'c' ? optarg : file;
        if (c != 'V' && c != 'h' && c != '?')
            continue;
        if (c == 'V')
            printf("obstream %s\n", OBSTREAM_VERSION);
        else if (c == 'h')
            print_help();
        *status = c == '?' ? usage_error(NULL) : EXIT_OK;
        return false;
    }
    bool ok = read_config(conf, file, &e);
    optind = 1; /* what the command line sets stands above the file */
    while (ok && (c = getopt_long(argc, argv, "+c:o:d:h", options, NULL)) != -1) {
        if (c == 'o')
            ok = set_option(conf, optarg, &e);
        else if (c == 'd')
            ok = set_dsn(conf, optarg, &e);
    }
    if (!ok)
        fail(NULL, &e);
    return ok;
}

static int run_command(int argc, char **argv, const struct conf *conf)
{
    if (argc == 0) {
        print_help();
        return EXIT_FAILED;
    }
    const struct command *c = find_command(argv[0]);
    if (c == NULL)
        return unknown_command(argv[0]);
    if (argc > 1 && (str_eq(argv[1], "--help") || str_eq(argv[1], "-h"))) {
        char help[] = "help", *own[] = { help, argv[0], NULL };
        return run_help(2, own, conf);
    }
    char name[32]; /* getopt puts it before its messages */
    snprintf(name, sizeof(name), "obstream %s", c->name);
    argv[0] = name;
    optind = 1;
    return c->run(argc, argv, conf);
}

int main(int argc, char **argv)
{
    struct conf conf;
    struct err e = ERR_INIT;
    int status;
    if (!conf_init(&conf, &e))
        return fail(NULL, &e);
    catch_signals();
    if (parse_options(&conf, argc, argv, &status))
        status = run_command(argc - optind, argv + optind, &conf);
    conf_release(&conf);
    if (fflush(stdout) != 0)
        status = EXIT_FAILED;
    return status;
}
