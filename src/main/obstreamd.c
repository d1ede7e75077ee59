/* The server: start, signals, stop. */
#include "obstream/core/clock.h"
#include "obstream/http/server.h"
#include "obstream/obs/log.h"

#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: obstreamd [-c FILE] [-o SECTION.KEY=VALUE]... [--check | --describe | --dump-config]\n"
    "\n"
    "Serves weather archives from PostgreSQL over HTTP.\n"
    "\n"
    "  -c, --config FILE    configuration (default: " OBSTREAM_SYSCONFDIR
    "/obstream/obstream.conf\n"
    "                       where that exists)\n"
    "  -o, --option K=V     set one key, like -o server.port=8081\n"
    "      --check          check configuration and database, print what was found\n"
    "      --describe       print endpoints, parameters and columns as JSON\n"
    "      --dump-config    print the configuration in force as JSON\n"
    "      --version        print the version\n"
    "  -h, --help           print this\n"
    "\n"
    "OBSTREAM_DSN is the default of database.dsn. SIGTERM ends running answers, then exits; "
    "SIGHUP\n"
    "reopens the log and reads the station table anew.\n";

enum mode { MODE_SERVE, MODE_CHECK, MODE_DESCRIBE, MODE_DUMP };

struct program {
    struct conf conf;
    struct api api;
    enum mode mode;
    pthread_t refresher;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop, refresh_now;
};

static bool set_option(struct conf *conf, const char *text, struct err *e)
{
    char name[128];
    const char *eq = strchr(text, '=');
    if (eq == NULL || (size_t)(eq - text) >= sizeof(name))
        return err_set(e, ERR_PARAM, "-o %s: not of the form section.key=value", text);
    memcpy(name, text, (size_t)(eq - text));
    name[eq - text] = '\0';
    return conf_set(conf, name, eq + 1, e);
}

/* -o stands above the file, whatever their order: the file is read first. */
static bool read_config(struct conf *conf, const char *file, struct err *e)
{
    static const char standard[] = OBSTREAM_SYSCONFDIR "/obstream/obstream.conf";
    if (file == NULL && access(standard, F_OK) == 0)
        file = standard;
    return file == NULL || conf_read_file(conf, file, e);
}

static const struct option options[] = {
    { "config", required_argument, NULL, 'c' }, { "option", required_argument, NULL, 'o' },
    { "check", no_argument, NULL, 'K' },        { "describe", no_argument, NULL, 'D' },
    { "dump-config", no_argument, NULL, 'P' },  { "version", no_argument, NULL, 'V' },
    { "help", no_argument, NULL, 'h' },         { NULL, 0, NULL, 0 },
};

/* False: the program ends with *status. */
static bool parse_arguments(struct program *p, int argc, char **argv, int *status, struct err *e)
{
    const char *file = NULL;
    int c;
    *status = 2;
    while ((c = getopt_long(argc, argv, "c:o:h", options, NULL)) != -1) {
        switch (c) {
        case 'c':
            file = optarg;
            break;
        case 'o':
            break;
        case 'K':
            p->mode = MODE_CHECK;
            break;
        case 'D':
            p->mode = MODE_DESCRIBE;
            break;
        case 'P':
            p->mode = MODE_DUMP;
            break;
        case 'V':
            printf("obstreamd %s\n", OBSTREAM_VERSION);
            *status = 0;
            return false;
        case 'h':
            fputs(usage, stdout);
            *status = 0;
            return false;
        default:
            fputs("try obstreamd --help\n", stderr);
            return false;
        }
    }
    if (optind < argc)
        return err_set(e, ERR_PARAM, "\"%s\" is not understood: see obstreamd --help",
                       argv[optind]);
    if (!read_config(&p->conf, file, e))
        return false;
    optind = 1;
    while ((c = getopt_long(argc, argv, "c:o:h", options, NULL)) != -1) {
        if (c == 'o' && !set_option(&p->conf, optarg, e))
            return false;
    }
    return true;
}

/* One pool for each distinct connection string. */
static bool make_pools(struct program *p, struct err *e)
{
    for (int d = 0; d < DATASET_COUNT; d++) {
        const char *dsn = conf_dsn(&p->conf, (enum dataset)d);
        for (int k = 0; k < d && p->api.pools[d] == NULL; k++) {
            if (str_eq(conf_dsn(&p->conf, (enum dataset)k), dsn))
                p->api.pools[d] = p->api.pools[k];
        }
        if (p->api.pools[d] == NULL)
            p->api.pools[d] = pool_new(dsn, &p->conf);
        if (p->api.pools[d] == NULL)
            return err_set(e, ERR_INTERNAL, "out of memory");
    }
    return true;
}

static void free_pools(struct program *p)
{
    for (int d = DATASET_COUNT - 1; d >= 0; d--) {
        bool shared = false;
        for (int k = 0; k < d; k++)
            shared = shared || p->api.pools[k] == p->api.pools[d];
        if (!shared && p->api.pools[d] != NULL)
            pool_free(p->api.pools[d]);
    }
}

/* Reads the station table now and then; at once and often while it was never read. */
static void *refresher_main(void *arg)
{
    struct program *p = arg;
    bool failing = false;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        const struct catalog *c = catalog_get(p->api.store);
        int64_t wait = c == NULL ? 500000 : p->conf.station_refresh * 1000000;
        if (c != NULL)
            catalog_put(c);
        int64_t until = clock_mono() + wait;
        struct timespec ts = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };
        if (!p->refresh_now)
            pthread_cond_timedwait(&p->wake, &p->lock, &ts);
        if (p->stop)
            break;
        p->refresh_now = false;
        pthread_mutex_unlock(&p->lock);
        struct err e = ERR_INIT;
        bool ok = catalog_load(p->api.store, p->api.pools, &e);
        if (!ok && !failing)
            log_line(LOG_ERROR, "the station table cannot be read: %s", e.msg);
        else if (ok && failing)
            log_line(LOG_INFO, "the station table was read");
        failing = !ok;
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void refresher_signal(struct program *p, bool stop)
{
    pthread_mutex_lock(&p->lock);
    p->stop = stop;
    p->refresh_now = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void wait_for_end(struct program *p, const sigset_t *set)
{
    int sig;
    while (sigwait(set, &sig) == 0 && sig == SIGHUP) {
        struct err e = ERR_INIT;
        if (!log_reopen(&e))
            log_line(LOG_ERROR, "%s", e.msg);
        log_line(LOG_INFO, "SIGHUP: log reopened, station table is read anew");
        refresher_signal(p, false);
    }
    log_line(LOG_INFO, "signal received: no new requests, running answers may end");
}

static bool serve(struct program *p, struct err *e)
{
    sigset_t set;
    block_signals(&set);
    p->api.sched = scheduler_new(&p->conf, e);
    if (p->api.sched == NULL)
        return false;
    struct err first = ERR_INIT;
    if (!catalog_load(p->api.store, p->api.pools, &first))
        log_line(LOG_ERROR, "not ready yet, trying on: %s", first.msg);
    bool ok = pthread_create(&p->refresher, NULL, refresher_main, p) == 0 ||
              err_set(e, ERR_INTERNAL, "cannot start a thread");
    struct server *server = ok ? server_start(&p->api, e) : NULL;
    if (server != NULL) {
        log_line(LOG_INFO, "obstreamd %s listens on %s port %u", OBSTREAM_VERSION, p->conf.listen,
                 server_port(server));
        wait_for_end(p, &set);
        if (!server_stop(server))
            _exit(0); /* threads still use what would be freed */
    }
    if (ok) {
        refresher_signal(p, true);
        pthread_join(p->refresher, NULL);
    }
    scheduler_free(p->api.sched);
    if (server != NULL)
        log_line(LOG_INFO, "stopped");
    return server != NULL;
}

static bool check(struct program *p, struct err *e)
{
    if (!catalog_load(p->api.store, p->api.pools, e))
        return false;
    const struct catalog *c = catalog_get(p->api.store);
    bool ok = true;
    for (int d = 0; d < DATASET_COUNT; d++) {
        bool any = false;
        for (int t = 0; t < TABLE_COUNT; t++)
            any = any || (layout_dataset((enum layout_table)t) == (enum dataset)d &&
                          c->layout.tables[t].exists);
        printf("%-9s %s\n", dataset_name((enum dataset)d),
               !any               ? "missing: its tables were not found (see: obstream schema)"
               : c->layout.own[d] ? "ok, obstream's layout"
                                  : "ok, IEM layout");
        ok = ok && any;
    }
    printf("stations  %zu in %zu networks\n", c->station_count, c->network_count);
    catalog_put(c);
    return ok || err_set(e, ERR_DATABASE, "a data set is missing");
}

static bool print_owned(char *text)
{
    bool ok = text != NULL && puts(text) >= 0 && fflush(stdout) == 0;
    free(text);
    return ok;
}

static bool run(struct program *p, struct err *e)
{
    if (p->mode == MODE_DESCRIBE)
        return print_owned(describe_json()) || err_set(e, ERR_IO, "cannot write");
    if (p->mode == MODE_DUMP)
        return print_owned(conf_print_json(&p->conf)) || err_set(e, ERR_IO, "cannot write");
    p->api.conf = &p->conf;
    p->api.started = clock_wall();
    p->api.store = catalog_store_new();
    bool ok = p->api.store != NULL || err_set(e, ERR_INTERNAL, "out of memory");
    ok = ok && make_pools(p, e) && log_open(&p->conf, e);
    ok = ok && (p->mode == MODE_CHECK ? check(p, e) : serve(p, e));
    free_pools(p);
    if (p->api.store != NULL)
        catalog_store_free(p->api.store);
    log_close();
    return ok;
}

int main(int argc, char **argv)
{
    static struct program p = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct err e = ERR_INIT;
    int status = 2;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&p.wake, &attr);
    pthread_condattr_destroy(&attr);
    /* Memory stays bounded however many threads allocate, and goes back after a flood. */
    mallopt(M_ARENA_MAX, 4);
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
    if (conf_init(&p.conf, &e) && parse_arguments(&p, argc, argv, &status, &e))
        status = run(&p, &e) ? 0 : 1;
    if (e.kind != ERR_NONE)
        fprintf(stderr, "obstreamd: %s\n", e.msg);
    conf_release(&p.conf);
    return status;
}
