#include "pgerr.h"

#include "obstream/core/strutil.h"

#include <string.h>

struct state_row {
    const char *prefix; /* of the SQLSTATE; the first that fits counts */
    enum err_kind kind;
};

static const struct state_row states[] = {
    { "57014", ERR_TIMEOUT },     /* query_canceled */
    { "57P", ERR_UNAVAILABLE },   /* admin_shutdown, crash_shutdown, cannot_connect_now ... */
    { "08", ERR_UNAVAILABLE },    /* connection exceptions */
    { "53300", ERR_UNAVAILABLE }, /* too_many_connections */
    { "40", ERR_UNAVAILABLE },    /* rolled back, on a standby by recovery: repeat */
    { "", ERR_DATABASE },
};

static enum err_kind state_kind(const struct conn *conn, const char *state)
{
    size_t i = 0;
    while (!str_starts(state, states[i].prefix))
        i++;
    bool ours = states[i].kind == ERR_TIMEOUT && atomic_load(&conn->cancelled);
    return ours ? ERR_CANCELLED : states[i].kind;
}

void pgerr_one_line(char *out, size_t size, const char *message)
{
    static const char white[] = " \t\r\n";
    size_t n = 0;
    for (const char *p = message + strspn(message, white); *p != '\0';) {
        if (n + 4 >= size) {
            for (; n > 0 && (*p & 0xc0) == 0x80; p--)
                n--; /* no half characters */
            memcpy(out + n, "...", 3);
            n += 3;
            break;
        }
        size_t gap = strspn(p, white);
        if (gap > 0 && p[gap] == '\0')
            break;
        out[n++] = gap > 0 ? ' ' : *p;
        p += gap > 0 ? gap : 1;
    }
    out[n] = '\0';
}

bool pgerr_record(struct conn *conn, const PGresult *res, struct err *e)
{
    const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
    const char *primary = PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
    const char *severity = PQresultErrorField(res, PG_DIAG_SEVERITY_NONLOCALIZED);
    bool lost = PQstatus(conn->pg) != CONNECTION_OK;
    char text[ERR_MSG_SIZE / 2];
    pgerr_one_line(text, sizeof(text), primary != NULL ? primary : PQerrorMessage(conn->pg));
    if (state != NULL)
        err_set(e, state_kind(conn, state), "database %s: %s (SQLSTATE %s)", PQdb(conn->pg), text,
                state);
    else
        err_set(e, lost ? ERR_UNAVAILABLE : ERR_DATABASE, "database %s: %s", PQdb(conn->pg),
                text[0] != '\0' ? text : "the connection broke");
    return !lost && !(severity != NULL && (str_eq(severity, "FATAL") || str_eq(severity, "PANIC")));
}
