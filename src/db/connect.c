#include "connect.h"

#include "pgerr.h"

#include "obstream/core/buf.h"
#include "obstream/core/clock.h"
#include "obstream/core/strutil.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libpq quotes pieces of a string it cannot parse, and those may be pieces of the password: its
 * own words are not repeated. An @ in the host comes from an unescaped @ in a URI's password. */
static const char fault_form[] =
    "the connection string is not valid; write host=... dbname=... user=... or "
    "postgresql://user@host/dbname, with blanks and quotes in values escaped";
static const char fault_at[] =
    "the connection string has an @ in its host name; in the password of a URI write it as %40";

static bool secret_keep(char **slot, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return true;
    *slot = strdup(value);
    return *slot != NULL;
}

static bool dsn_examine(struct connect_spec *s)
{
    PQconninfoOption *options = PQconninfoParse(s->dsn, NULL);
    if (options == NULL) {
        s->fault = fault_form;
        return true;
    }
    bool ok = true;
    for (const PQconninfoOption *o = options; o->keyword != NULL; o++) {
        if (str_eq(o->keyword, "password"))
            ok &= secret_keep(&s->secrets[0], o->val);
        if (str_eq(o->keyword, "sslpassword"))
            ok &= secret_keep(&s->secrets[1], o->val);
        /* a leading @ names an abstract Unix socket */
        if (str_eq(o->keyword, "host") && o->val != NULL && strchr(o->val, '@') > o->val)
            s->fault = fault_at;
    }
    PQconninfoFree(options);
    return ok;
}

bool connect_spec_init(struct connect_spec *s, const char *dsn, const struct conf *c)
{
    *s = (struct connect_spec){ .dsn = strdup(dsn) };
    if (s->dsn == NULL || !dsn_examine(s))
        return false;
    snprintf(s->timeout, sizeof(s->timeout), "%lld", (long long)c->connect_timeout);
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    buf_puts(&b, "SET timezone = 'UTC'; SET default_transaction_read_only = on; SET jit = off; "
                 "SET max_parallel_workers_per_gather = 0; ");
    buf_printf(&b, "SET statement_timeout = %lld", (long long)c->statement_timeout);
    size_t len;
    s->setup = buf_detach(&b, &len);
    return s->setup != NULL;
}

void connect_spec_release(struct connect_spec *s)
{
    free(s->dsn);
    for (size_t i = 0; i < ARRAY_SIZE(s->secrets); i++)
        free(s->secrets[i]);
    free(s->setup);
    *s = (struct connect_spec){ 0 };
}

static void secret_mask(char *text, const char *secret)
{
    if (secret == NULL)
        return;
    size_t n = strlen(secret), stars = n < 3 ? n : 3;
    for (char *at = strstr(text, secret); at != NULL; at = strstr(at + stars, secret)) {
        memset(at, '*', stars);
        memmove(at + stars, at + n, strlen(at + n) + 1);
    }
}

static void reason_set(char *reason, const struct connect_spec *s, const char *message)
{
    char *copy = strdup(message);
    for (size_t i = 0; copy != NULL && i < ARRAY_SIZE(s->secrets); i++)
        secret_mask(copy, s->secrets[i]);
    pgerr_one_line(reason, REASON_SIZE, copy == NULL ? "out of memory" : copy);
    free(copy);
}

static void notice_ignore(void *unused, const char *message)
{
    (void)unused;
    (void)message;
}

/* What stands before dbname can be overridden by the connection string, what stands after cannot.
 * The keepalives end a wait for a host that vanished after 60 + 3 * 10 seconds. */
static PGconn *pg_connect(const struct connect_spec *s)
{
    const struct {
        const char *keyword, *value;
    } settings[] = {
        { "connect_timeout", s->timeout },
        { "fallback_application_name", "obstreamd" },
        { "keepalives", "1" },
        { "keepalives_idle", "60" },
        { "keepalives_interval", "10" },
        { "keepalives_count", "3" },
        { "tcp_user_timeout", "90000" },
        { "dbname", s->dsn },
        { "client_encoding", "UTF8" },
    };
    const char *keywords[ARRAY_SIZE(settings) + 1], *values[ARRAY_SIZE(settings) + 1];
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        keywords[i] = settings[i].keyword;
        values[i] = settings[i].value;
    }
    keywords[ARRAY_SIZE(settings)] = values[ARRAY_SIZE(settings)] = NULL;
    return PQconnectdbParams(keywords, values, 1);
}

static bool conn_setup(struct conn *c, const struct connect_spec *s, char *reason)
{
    c->pg = pg_connect(s);
    if (PQstatus(c->pg) != CONNECTION_OK) {
        reason_set(reason, s, c->pg == NULL ? "out of memory" : PQerrorMessage(c->pg));
        return false;
    }
    PQsetNoticeProcessor(c->pg, notice_ignore, NULL);
    PGresult *res = PQexec(c->pg, s->setup);
    bool ok = PQresultStatus(res) == PGRES_COMMAND_OK;
    if (!ok)
        reason_set(reason, s, PQerrorMessage(c->pg));
    PQclear(res);
    if (!ok)
        return false;
    c->cancel = PQgetCancel(c->pg);
    if (c->cancel == NULL)
        reason_set(reason, s, "out of memory");
    return c->cancel != NULL;
}

struct conn *conn_open(const struct connect_spec *s, char *reason)
{
    if (s->fault != NULL) {
        pgerr_one_line(reason, REASON_SIZE, s->fault);
        return NULL;
    }
    struct conn *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        pgerr_one_line(reason, REASON_SIZE, "out of memory");
        return NULL;
    }
    if (!conn_setup(c, s, reason)) {
        conn_close(c);
        return NULL;
    }
    c->born = clock_mono();
    return c;
}

void conn_close(struct conn *c)
{
    PQfreeCancel(c->cancel);
    PQfinish(c->pg);
    free(c);
}

/* An unused connection has nothing to say: whatever can be read is the end of the connection or
 * the server's announcement of it. */
bool conn_alive(const struct conn *c)
{
    struct pollfd fd = { .fd = PQsocket(c->pg), .events = POLLIN };
    return PQstatus(c->pg) == CONNECTION_OK && poll(&fd, 1, 0) == 0;
}

/* That PQcancel() fails means that the server is out of reach; then the query ends by itself. */
void conn_interrupt(struct conn *c)
{
    char unused[256];
    PQcancel(c->cancel, unused, sizeof(unused));
}

void conn_cancel(struct conn *c)
{
    atomic_store(&c->cancelled, true);
    conn_interrupt(c);
}
