#include "obstream/obs/log.h"

#include "obstream/core/civil.h"
#include "obstream/core/clock.h"
#include "obstream/core/strutil.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = { "error", "warning", "info", "debug" };

static struct {
    pthread_mutex_t lock;
    enum log_level level;
    char access_path[512];
    int access_fd;
} logs = { .lock = PTHREAD_MUTEX_INITIALIZER, .level = LOG_INFO, .access_fd = -1 };

static bool access_open(struct err *e)
{
    int fd = -1;
    if (str_eq(logs.access_path, "-"))
        fd = dup(STDERR_FILENO);
    else if (logs.access_path[0] != '\0')
        fd = open(logs.access_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (fd < 0 && logs.access_path[0] != '\0')
        return err_set(e, ERR_IO, "cannot open the access log %s (log.access): %s",
                       logs.access_path, strerror(errno));
    pthread_mutex_lock(&logs.lock);
    int old = logs.access_fd;
    logs.access_fd = fd;
    pthread_mutex_unlock(&logs.lock);
    if (old >= 0)
        close(old);
    return true;
}

bool log_open(const struct conf *c, struct err *e)
{
    for (unsigned i = 0; i < ARRAY_SIZE(level_names); i++) {
        if (str_eq(level_names[i], c->log_level))
            logs.level = (enum log_level)i;
    }
    if (strlen(c->access_log) >= sizeof(logs.access_path))
        return err_set(e, ERR_PARAM, "log.access is longer than %zu bytes",
                       sizeof(logs.access_path) - 1);
    memcpy(logs.access_path, c->access_log, strlen(c->access_log) + 1);
    return access_open(e);
}

bool log_reopen(struct err *e)
{
    return access_open(e);
}

void log_close(void)
{
    pthread_mutex_lock(&logs.lock);
    if (logs.access_fd >= 0)
        close(logs.access_fd);
    logs.access_fd = -1;
    pthread_mutex_unlock(&logs.lock);
}

static void write_all(int fd, const struct buf *line)
{
    size_t done = 0;
    while (!line->failed && done < line->len) {
        ssize_t n = write(fd, line->data + done, line->len - done);
        if (n < 0 && errno != EINTR)
            return; /* nowhere to report it */
        done += n > 0 ? (size_t)n : 0;
    }
}

static void add_time(struct buf *b, int64_t usec)
{
    struct civil c = civil_from_usec(usec);
    buf_printf(b, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", c.year, c.month, c.day, c.hour, c.minute,
               c.second, c.usec / 1000);
}

/* Writes s with everything but printable ASCII as \xNN, and the characters of `also` too. */
static void add_escaped(struct buf *b, const char *s, const char *also)
{
    for (; s != NULL && *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 || c >= 0x7f || strchr(also, c) != NULL)
            buf_printf(b, "\\x%02x", c);
        else
            buf_putc(b, *s);
    }
}

/* The rest of a text in quotes, of which `before` holds the first. */
static void add_quoted(struct buf *b, const char *before, const char *s)
{
    buf_puts(b, before);
    add_escaped(b, s, "\"\\");
    buf_putc(b, '"');
}

void log_line(enum log_level level, const char *fmt, ...)
{
    if (level > logs.level)
        return;
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (n >= (int)sizeof(text))
        memcpy(text + sizeof(text) - 4, "...", 4);
    for (char *p = text; *p != '\0'; p++) {
        if (*p == '\n' || *p == '\r')
            *p = ' '; /* libpq's messages have lines */
    }
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    add_time(&b, clock_wall());
    buf_printf(&b, " %s: ", level_names[level]);
    add_escaped(&b, text, "");
    buf_putc(&b, '\n');
    write_all(STDERR_FILENO, &b);
    buf_release(&b);
}

void log_access(const struct access_entry *a)
{
    if (logs.access_path[0] == '\0')
        return;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    add_time(&b, a->started);
    buf_printf(&b, " %s", a->client);
    buf_puts(&b, " \"");
    add_escaped(&b, a->method, "\"\\");
    add_quoted(&b, " ", a->target);
    buf_printf(&b, " %d rows=%llu plain=%llu sent=%llu coding=%s ms=%.1f first_ms=", a->status,
               (unsigned long long)a->rows, (unsigned long long)a->plain_bytes,
               (unsigned long long)a->sent_bytes, a->coding, (double)a->duration / 1000);
    if (a->first_byte >= 0)
        buf_printf(&b, "%.1f", (double)a->first_byte / 1000);
    else
        buf_putc(&b, '-');
    buf_printf(&b, " id=%s", a->request_id);
    add_quoted(&b, " agent=\"", a->agent);
    if (a->failure != NULL)
        add_quoted(&b, " failure=\"", a->failure);
    buf_putc(&b, '\n');
    pthread_mutex_lock(&logs.lock);
    if (logs.access_fd >= 0)
        write_all(logs.access_fd, &b);
    pthread_mutex_unlock(&logs.lock);
    buf_release(&b);
}
