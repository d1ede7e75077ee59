#include "obstream/conf/conf.h"

#include "obstream/core/strutil.h"

#include <errno.h>
#include <ini.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key_type { KEY_TEXT, KEY_NUMBER, KEY_SIZE, KEY_CHOICE };

struct conf_key {
    const char *section, *key;
    enum key_type type;
    size_t offset;
    const char *standard; /* default, as a user would write it */
    int64_t min, max;
    const char *choices; /* comma separated, KEY_CHOICE */
    bool secret;         /* a connection string: passwords are masked when printed */
    const char *help;
};

#define OFFSET(field) offsetof(struct conf, field)
#define TEXT(s, k, f, d, h)                                                                        \
    {                                                                                              \
        s, k, KEY_TEXT, OFFSET(f), d, 0, 0, NULL, false, h                                         \
    }
#define DSN(k, f, h)                                                                               \
    {                                                                                              \
        "database", k, KEY_TEXT, OFFSET(f), "", 0, 0, NULL, true, h                                \
    }
#define NUM(s, k, f, d, lo, hi, h)                                                                 \
    {                                                                                              \
        s, k, KEY_NUMBER, OFFSET(f), d, lo, hi, NULL, false, h                                     \
    }
#define SIZE(s, k, f, d, lo, hi, h)                                                                \
    {                                                                                              \
        s, k, KEY_SIZE, OFFSET(f), d, lo, hi, NULL, false, h                                       \
    }
#define CHOICE(s, k, f, d, c, h)                                                                   \
    {                                                                                              \
        s, k, KEY_CHOICE, OFFSET(f), d, 0, 0, c, false, h                                          \
    }

static const struct conf_key keys[] = {
    TEXT("server", "listen", listen, "127.0.0.1", "numeric address to listen on"),
    NUM("server", "port", port, "8080", 0, 65535, "0 takes any free port"),
    NUM("server", "threads", threads, "0", 0, 256, "HTTP threads; 0: one per core"),
    NUM("server", "connections", connections, "12000", 1, 1000000, "connections at most"),
    NUM("server", "idle_timeout", idle_timeout, "75", 1, 86400,
        "seconds a connection may be silent"),
    NUM("server", "drain_timeout", drain_timeout, "10000", 0, 3600000,
        "milliseconds running answers get at SIGTERM"),
    TEXT("server", "trusted_proxies", trusted_proxies, "",
         "addresses or networks (10.0.0.0/8) whose X-Forwarded-For is believed, comma separated"),
    SIZE("server", "max_body", max_body, "4m", 1024, 1 << 30, "bytes of a POST form"),
    SIZE("server", "max_url", max_url, "64k", 1024, 100 << 10, "bytes of a request target"),
    TEXT("server", "port_file", port_file, "", "file that receives the port once listening"),
    DSN("dsn", dsn, "libpq connection string that serves every data set"),
    DSN("asos", dataset_dsn[DATASET_ASOS], "METAR archive, where it has a database of its own"),
    DSN("hads", dataset_dsn[DATASET_HADS], "SHEF archive, likewise"),
    DSN("coop", dataset_dsn[DATASET_COOP], "climodat and normals, likewise"),
    DSN("iem", dataset_dsn[DATASET_IEM], "newest SHEF values and daily summaries, likewise"),
    DSN("mesosite", dataset_dsn[DATASET_MESOSITE], "stations and networks, likewise"),
    NUM("database", "pool_size", pool_size, "12", 1, 1000,
        "connections per distinct connection string"),
    NUM("database", "acquire_timeout", acquire_timeout, "5000", 0, 600000,
        "milliseconds a request waits for the database before 503"),
    NUM("database", "connect_timeout", connect_timeout, "5", 1, 600, "seconds"),
    NUM("database", "statement_timeout", statement_timeout, "600000", 0, 86400000,
        "milliseconds one query may take; 0: no limit"),
    NUM("database", "connection_lifetime", connection_lifetime, "3600", 1, 864000,
        "seconds until a connection is renewed, spread by a quarter"),
    NUM("database", "station_refresh", station_refresh, "300", 1, 86400,
        "seconds between readings of the station table"),
    NUM("stream", "workers", workers, "0", 0, 256, "threads that fetch; 0: by cores"),
    SIZE("stream", "segment_target", segment_target, "1m", 4096, 64 << 20,
         "bytes of plain rows a segment aims at"),
    SIZE("stream", "segment_first", segment_first, "32k", 1024, 64 << 20,
         "bytes the first segment aims at"),
    SIZE("stream", "memory", memory, "24m", 1 << 20, INT64_C(1) << 40,
         "bytes of finished segments of all answers together"),
    NUM("stream", "read_ahead", read_ahead, "4", 1, 64,
        "segments of one answer in flight or waiting"),
    NUM("stream", "queue_limit", queue_limit, "10000", 1, 1000000,
        "answers waiting or running before 503"),
    SIZE("stream", "spool_memory", spool_memory, "256k", 0, 1 << 30,
         "bytes kept in memory of an answer that must be completed first (HTTP/1.0)"),
    TEXT("stream", "spool_dir", spool_dir, "/tmp", "folder for larger ones"),
    NUM("output", "gzip_level", gzip_level, "-1", -1, 9, "-1: the fastest there is; 1-9: zlib"),
    CHOICE("log", "level", log_level, "info", "error,warning,info,debug", "what is logged"),
    TEXT("log", "access", access_log, "", "access log: a file, - for standard error, empty: none"),
};

const char *dataset_name(enum dataset d)
{
    static const char *const names[DATASET_COUNT] = { "asos", "hads", "coop", "iem", "mesosite" };
    return names[d];
}

static const char *key_candidate(const void *unused, size_t i)
{
    (void)unused;
    return i < ARRAY_SIZE(keys) ? keys[i].key : NULL;
}

static const struct conf_key *key_find(const char *section, const char *key)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (str_eq(keys[i].section, section) && str_eq(keys[i].key, key))
            return &keys[i];
    }
    return NULL;
}

static bool number_parse(const struct conf_key *k, const char *value, int64_t *out, struct err *e)
{
    char *end;
    errno = 0;
    long long v = strtoll(value, &end, 10);
    bool ok = end != value && errno == 0;
    int shift = 0;
    if (ok && k->type == KEY_SIZE && *end != '\0') {
        const char *units = "kmg";
        const char *u = strchr(units, *end | 0x20);
        if (u != NULL && *u != '\0') {
            shift = 10 * (int)(u - units + 1);
            end++;
        }
    }
    if (!ok || *end != '\0')
        return err_set(e, ERR_PARAM, "%s.%s = \"%s\" is not a whole number%s", k->section, k->key,
                       value, k->type == KEY_SIZE ? " (k, m or g may follow)" : "");
    int64_t factor = INT64_C(1) << shift;
    if (v > k->max / factor || v < -(k->max / factor) || v * factor < k->min)
        return err_set(e, ERR_PARAM, "%s.%s = %s is out of range: %lld to %lld", k->section, k->key,
                       value, (long long)k->min, (long long)k->max);
    *out = v * factor;
    return true;
}

static bool choice_check(const struct conf_key *k, const char *value, struct err *e)
{
    struct arena a = ARENA_INIT(64 << 10);
    struct strlist choices = { 0 };
    strlist_split(&choices, &a, k->choices);
    bool ok = strlist_has(&choices, value);
    arena_release(&a);
    return ok || err_set(e, ERR_PARAM, "%s.%s = \"%s\" is none of %s", k->section, k->key, value,
                         k->choices);
}

static bool key_set(struct conf *c, const struct conf_key *k, const char *value, struct err *e)
{
    void *field = (char *)c + k->offset;
    if (k->type == KEY_NUMBER || k->type == KEY_SIZE)
        return number_parse(k, value, field, e);
    if (k->type == KEY_CHOICE && !choice_check(k, value, e))
        return false;
    if (strpbrk(value, "\r\n") != NULL)
        return err_set(e, ERR_PARAM, "%s.%s holds a line end", k->section, k->key);
    char *copy = strdup(value);
    if (copy == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory");
    char **text = field;
    free(*text);
    *text = copy;
    return true;
}

static bool named_set(struct conf *c, const char *section, const char *key, const char *value,
                      struct err *e)
{
    const struct conf_key *k = key_find(section, key);
    if (k != NULL)
        return key_set(c, k, value, e);
    const char *near = str_nearest(key, key_candidate, NULL);
    return err_set(e, ERR_PARAM, "there is no key %s.%s%s%s%s", section, key,
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

bool conf_set(struct conf *c, const char *name, const char *value, struct err *e)
{
    char section[32];
    const char *dot = strchr(name, '.');
    if (dot == NULL || (size_t)(dot - name) >= sizeof(section))
        return err_set(e, ERR_PARAM, "\"%s\" is not of the form section.key", name);
    memcpy(section, name, (size_t)(dot - name));
    section[dot - name] = '\0';
    return named_set(c, section, dot + 1, value, e);
}

bool conf_init(struct conf *c, struct err *e)
{
    *c = (struct conf){ 0 };
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (!key_set(c, &keys[i], keys[i].standard, e))
            return false;
    }
    const char *dsn = getenv("OBSTREAM_DSN");
    return dsn == NULL || conf_set(c, "database.dsn", dsn, e);
}

void conf_release(struct conf *c)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (keys[i].type == KEY_TEXT || keys[i].type == KEY_CHOICE)
            free(*(char **)((char *)c + keys[i].offset));
    }
    *c = (struct conf){ 0 };
}

/* Debian's inih lets a program set what is fixed elsewhere when the library is built; the addresses
 * are NULL where it does not. */
extern int ini_max_line __attribute__((weak));
extern int ini_initial_alloc __attribute__((weak));
extern bool ini_use_stack __attribute__((weak));
extern bool ini_allow_multiline __attribute__((weak));
extern bool ini_allow_inline_comments __attribute__((weak));

static void inih_setup(void)
{
    enum { LONGEST_LINE = 64 << 10 };
    if (&ini_max_line == NULL || &ini_initial_alloc == NULL || &ini_use_stack == NULL)
        return;
    ini_use_stack = false;
    ini_max_line = ini_initial_alloc = LONGEST_LINE;
    if (&ini_allow_multiline != NULL)
        ini_allow_multiline = false;
    if (&ini_allow_inline_comments != NULL)
        ini_allow_inline_comments = false;
}

struct file_state {
    struct conf *conf;
    FILE *file;
    char *line;
    size_t cap, number; /* of the line, and of the first faulty one */
    size_t fault_number;
    struct err err;
};

static void line_fault(struct file_state *st, const char *what)
{
    if (err_set(&st->err, ERR_PARAM, "%s", what) || st->fault_number == 0)
        st->fault_number = st->number;
}

/* Hands inih one line. It would cut a long one in silence and take an indented one for a new value
 * of the key before it: the first is a fault here, the second loses its indent. */
static char *next_line(char *room, int size, void *state)
{
    struct file_state *st = state;
    ssize_t n = st->err.kind == ERR_NONE ? getline(&st->line, &st->cap, st->file) : -1;
    if (n < 0)
        return NULL;
    st->number++;
    const char *text = st->line + strspn(st->line, " \t");
    if (strlen(st->line) != (size_t)n)
        line_fault(st, "a NUL byte: this is no text file");
    else if (strlen(text) + 1 > (size_t)size)
        line_fault(st, "the line is too long");
    if (st->err.kind != ERR_NONE)
        return NULL;
    memcpy(room, text, strlen(text) + 1);
    return room;
}

static int key_line(void *state, const char *section, const char *key, const char *value)
{
    struct file_state *st = state;
    if (st->err.kind == ERR_NONE && !named_set(st->conf, section, key, value, &st->err))
        st->fault_number = st->number;
    return st->err.kind == ERR_NONE;
}

bool conf_read_file(struct conf *c, const char *path, struct err *e)
{
    struct file_state st = { .conf = c, .file = fopen(path, "re") };
    if (st.file == NULL)
        return err_set(e, ERR_IO, "cannot read the configuration %s: %s", path, strerror(errno));
    inih_setup();
    int faulty = ini_parse_stream(next_line, &st, key_line, &st);
    bool unreadable = ferror(st.file);
    fclose(st.file);
    free(st.line);
    if (unreadable)
        return err_set(e, ERR_IO, "cannot read the configuration %s: %s", path, strerror(errno));
    if (st.err.kind != ERR_NONE)
        return err_set(e, st.err.kind, "%s line %zu: %s", path, st.fault_number, st.err.msg);
    return faulty == 0 ||
           err_set(e, ERR_PARAM, "%s line %d: neither [section], key = value nor a # comment", path,
                   faulty);
}

const char *conf_dsn(const struct conf *c, enum dataset d)
{
    return c->dataset_dsn[d][0] != '\0' ? c->dataset_dsn[d] : c->dsn;
}

void conf_print_ini(const struct conf *c, struct buf *out)
{
    const char *section = "";
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const struct conf_key *k = &keys[i];
        const void *field = (const char *)c + k->offset;
        if (!str_eq(section, k->section))
            buf_printf(out, "%s[%s]\n", i == 0 ? "" : "\n", section = k->section);
        buf_printf(out, "# %s (default: %s)\n%s = ", k->help,
                   k->standard[0] == '\0' ? "empty" : k->standard, k->key);
        if (k->type == KEY_NUMBER || k->type == KEY_SIZE)
            buf_add_int(out, *(const int64_t *)field);
        else
            buf_puts(out, *(char *const *)field);
        buf_putc(out, '\n');
    }
}

/* Where the value of the next password (also sslpassword, passfile's is no secret) begins, NULL. */
static const char *password_value(const char *s)
{
    while ((s = strstr(s, "password")) != NULL) {
        s += strlen("password");
        const char *value = s + strspn(s, " \t");
        if (*value == '=')
            return value + 1 + strspn(value + 1, " \t");
    }
    return NULL;
}

/* Its length as libpq reads it: quoted, with backslashes, or up to a blank or the URI's `&`. */
static size_t password_length(const char *s, bool uri)
{
    bool quoted = !uri && *s == '\'';
    size_t n = quoted;
    while (s[n] != '\0' && strchr(quoted ? "'" : uri ? "&" : " \t\n", s[n]) == NULL)
        n += !uri && s[n] == '\\' && s[n + 1] != '\0' ? 2 : 1;
    return n + (quoted && s[n] == '\'');
}

/* password=... and user:password@ become ***. */
static json_t *masked(const char *dsn)
{
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    bool uri = str_starts(dsn, "postgresql://") || str_starts(dsn, "postgres://");
    if (uri) {
        const char *user = strstr(dsn, "://") + 3;
        size_t authority = strcspn(user, "/?");
        const char *at = memrchr(user, '@', authority);
        const char *colon = at != NULL ? memchr(user, ':', (size_t)(at - user)) : NULL;
        if (colon != NULL) {
            buf_add(&b, dsn, (size_t)(colon + 1 - dsn));
            buf_puts(&b, "***");
            dsn = at;
        }
    }
    const char *value;
    while ((value = password_value(dsn)) != NULL) {
        buf_add(&b, dsn, (size_t)(value - dsn));
        buf_puts(&b, "***");
        dsn = value + password_length(value, uri);
    }
    buf_puts(&b, dsn);
    json_t *text = json_string(b.failed || b.data == NULL ? "" : b.data);
    buf_release(&b);
    return text;
}

static json_t *key_json(const struct conf *c, const struct conf_key *k)
{
    const void *field = (const char *)c + k->offset;
    bool number = k->type == KEY_NUMBER || k->type == KEY_SIZE;
    json_t *o = json_object();
    const char *text = number ? NULL : *(char *const *)field;
    json_object_set_new(o, "value",
                        number      ? json_integer(*(const int64_t *)field)
                        : k->secret ? masked(text)
                                    : json_string(text));
    json_object_set_new(o, "default", json_string(k->standard));
    if (number) {
        json_object_set_new(o, "minimum", json_integer(k->min));
        json_object_set_new(o, "maximum", json_integer(k->max));
    }
    if (k->choices != NULL)
        json_object_set_new(o, "choices", json_string(k->choices));
    json_object_set_new(o, "help", json_string(k->help));
    return o;
}

char *conf_print_json(const struct conf *c)
{
    json_t *root = json_object();
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        json_t *section = json_object_get(root, keys[i].section);
        if (section == NULL) {
            section = json_object();
            json_object_set_new(root, keys[i].section, section);
        }
        json_object_set_new(section, keys[i].key, key_json(c, &keys[i]));
    }
    char *text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    return text;
}
