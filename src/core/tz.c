#include "obstream/core/tz.h"

#include "obstream/core/strutil.h"

#include <glib.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_DIR "/usr/share/zoneinfo"
#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/"

enum { FIRST_YEAR = 1800, LAST_YEAR = 2200, NAME_MAX_LEN = 63, DEPTH_MAX = 3 };

/* A stretch of time with one offset; it lasts until the next span begins. */
struct span {
    int64_t since;      /* instant */
    int64_t wall_since; /* local time from which it holds, when ambiguous times are the first */
    int32_t offset;     /* seconds east of UTC */
    const char *abbrev;
};

struct tz {
    const char *name;
    size_t count; /* at least 1 */
    const struct span *spans;
};

static const struct span utc_span = { INT64_MIN, INT64_MIN, 0, "UTC" };
static const struct tz utc = { "UTC", 1, &utc_span };

/* Zones live as long as the process: the cache is what makes `const struct tz *` shareable. */
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *cache; /* name -> struct tz */

static pthread_once_t names_once = PTHREAD_ONCE_INIT;
static GPtrArray *names; /* sorted, then never changed */

/* As GLib finds it. */
static const char *database_dir(void)
{
    const char *dir = getenv("TZDIR");
    return dir != NULL ? dir : DEFAULT_DIR;
}

/* Whether the name may be looked up at all. Left out are copies of the database in other forms
 * (right/ counts leap seconds) and names that mean something else on every machine. */
static bool name_allowed(const char *name)
{
    size_t n = strnlen(name, NAME_MAX_LEN + 1);
    return n > 0 && n <= NAME_MAX_LEN && name[strspn(name, NAME_CHARS)] == '\0' &&
           g_ascii_isalpha(name[0]) && name[n - 1] != '/' && strstr(name, "//") == NULL &&
           !str_starts(name, "posix/") && !str_starts(name, "right/") &&
           !str_eq(name, "localtime") && !str_eq(name, "posixrules");
}

/* A file of the compiled form of RFC 8536, which begins with "TZif". */
static bool is_zone_file(const char *path)
{
    char magic[4];
    FILE *f = fopen(path, "rbe");
    if (f == NULL)
        return false;
    bool ok = fread(magic, 1, sizeof(magic), f) == sizeof(magic) && memcmp(magic, "TZif", 4) == 0;
    fclose(f);
    return ok;
}

/* The name of daylight time in a POSIX rule that gives it an explicit offset of zero, else NULL. */
static const char *zero_daylight(const char *rule)
{
    static const char pattern[] =
        "^(<[^>]+>|[A-Za-z]+)[-+0-9:]+(<([^>]+)>|([A-Za-z]+))[-+]?0[0:]*,";
    const char *name = NULL;
    regex_t re;
    regmatch_t m[5];
    if (regcomp(&re, pattern, REG_EXTENDED) != 0)
        return NULL;
    if (regexec(&re, rule, ARRAY_SIZE(m), m, 0) == 0) {
        const regmatch_t *found = m[3].rm_so >= 0 ? &m[3] : &m[4];
        char *copy = g_strndup(rule + found->rm_so, (gsize)(found->rm_eo - found->rm_so));
        name = g_intern_string(copy);
        g_free(copy);
    }
    regfree(&re);
    return name;
}

/*
 * GLib (up to 2.74 at least) takes an explicit daylight offset of zero in the rule on the last line
 * of a zone file, "IST-1GMT0,M10.5.0,M3.5.0/1" of Europe/Dublin, for a missing one and uses
 * standard time plus one hour. This tells the intervals concerned, for add_span() to set them
 * right.
 */
struct misread {
    const char *abbrev; /* of the intervals concerned, NULL for none */
    int listed;         /* the transitions that the file lists; later ones are made by the rule */
    int32_t excess;     /* what GLib gives as the offset, in seconds */
};

/* The number of transitions in the second header of a file (RFC 8536, section 3.1), 0 if none. */
static int listed_transitions(const char *data, gsize len)
{
    enum { HEADER = 44, COUNTS = 20, TRANSITIONS = 3, COUNT_FIELDS = 6 };
    static const unsigned sizes[COUNT_FIELDS] = {
        1, 1, 8, 5, 6, 1
    }; /* bytes per item, version 1 */
    guint32 counts[COUNT_FIELDS];
    gsize second = HEADER;
    if (len < HEADER)
        return 0;
    memcpy(counts, data + COUNTS, sizeof(counts));
    for (int i = 0; i < COUNT_FIELDS; i++)
        second += (gsize)GUINT32_FROM_BE(counts[i]) * sizes[i];
    if (second > len - HEADER)
        return 0;
    memcpy(counts, data + second + COUNTS, sizeof(counts));
    return (int)GUINT32_FROM_BE(counts[TRANSITIONS]);
}

static struct misread find_misread(const char *path)
{
    struct misread m = { NULL, 0, 0 };
    char *data;
    gsize len;
    if (!g_file_get_contents(path, &data, &len, NULL))
        return m;
    if (len > 0 && data[len - 1] == '\n')
        data[--len] = '\0';
    const char *line = memrchr(data, '\n', len);
    m.abbrev = line != NULL ? zero_daylight(line + 1) : NULL;
    m.listed = listed_transitions(data, len);
    g_free(data);
    return m;
}

/* The first second of [from, to] at which GLib's interval is number `interval` or a later one. */
static int64_t interval_start(GTimeZone *zone, int interval, int64_t from, int64_t to)
{
    while (from < to) {
        int64_t mid = from + (to - from) / 2;
        if (g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, mid) >= interval)
            to = mid;
        else
            from = mid + 1;
    }
    return from;
}

/* What zone_build() works with. */
struct builder {
    GTimeZone *zone;
    GArray *spans;
    struct misread misread;
};

static const char *interval_abbrev(const struct builder *b, int interval)
{
    return g_intern_string(g_time_zone_get_abbreviation(b->zone, interval));
}

/* Whether an interval is one that GLib misreads. */
static bool is_misread(const struct builder *b, int interval)
{
    return b->misread.abbrev != NULL && interval > b->misread.listed &&
           interval_abbrev(b, interval) == b->misread.abbrev;
}

static void add_span(struct builder *b, int interval, int64_t since)
{
    struct span s = { since, since, g_time_zone_get_offset(b->zone, interval),
                      interval_abbrev(b, interval) };
    if (is_misread(b, interval))
        s.offset -= b->misread.excess;
    if (b->spans->len > 0) {
        const struct span *last = &g_array_index(b->spans, struct span, b->spans->len - 1);
        if (last->offset == s.offset && last->abbrev == s.abbrev)
            return;
        /* The rule gives the local time of the change. */
        if (interval > b->misread.listed && last->abbrev == b->misread.abbrev)
            s.since += b->misread.excess * USEC_PER_SEC;
        s.wall_since = s.since + MAX(last->offset, s.offset) * USEC_PER_SEC;
    }
    g_array_append_val(b->spans, s);
}

/* Finds where each of GLib's intervals begins within the years of the table. */
static void add_spans(struct builder *b)
{
    const int64_t day = 86400;
    int64_t from = civil_days(FIRST_YEAR, 1, 1) * day, to = civil_days(LAST_YEAR, 1, 1) * day;
    int first = g_time_zone_find_interval(b->zone, G_TIME_TYPE_UNIVERSAL, from);
    int last = g_time_zone_find_interval(b->zone, G_TIME_TYPE_UNIVERSAL, to);
    for (int i = MAX(first, last - 1); i <= last; i++) {
        if (is_misread(b, i))
            b->misread.excess = g_time_zone_get_offset(b->zone, i);
    }
    add_span(b, first, INT64_MIN);
    for (int i = first + 1; i <= last; i++) {
        from = interval_start(b->zone, i, from, to);
        /* An empty interval, whose successor starts at once, is passed over. */
        if (g_time_zone_find_interval(b->zone, G_TIME_TYPE_UNIVERSAL, from) == i)
            add_span(b, i, from * USEC_PER_SEC);
    }
}

static struct tz *zone_build(const char *name, const char *path)
{
    /* The colon keeps GLib from reading names like EST5EDT as POSIX rules. */
    char *identifier = g_strconcat(":", name, NULL);
    struct builder b = { .zone = g_time_zone_new_identifier(identifier) };
    g_free(identifier);
    if (b.zone == NULL)
        return NULL;
    b.misread = find_misread(path);
    b.spans = g_array_new(FALSE, FALSE, sizeof(struct span));
    add_spans(&b);
    g_time_zone_unref(b.zone);
    struct tz *tz = g_new(struct tz, 1);
    tz->name = g_strdup(name);
    tz->count = b.spans->len;
    tz->spans = (const struct span *)(void *)g_array_free(b.spans, FALSE);
    return tz;
}

static struct tz *zone_load(const char *name)
{
    if (!name_allowed(name))
        return NULL;
    char *path = g_build_filename(database_dir(), name, NULL);
    struct tz *tz = is_zone_file(path) ? zone_build(name, path) : NULL;
    g_free(path);
    return tz;
}

const struct tz *tz_utc(void)
{
    return &utc;
}

const struct tz *tz_find(const char *name)
{
    if (str_eq(name, utc.name))
        return &utc;
    pthread_mutex_lock(&cache_lock);
    if (cache == NULL)
        cache = g_hash_table_new(g_str_hash, g_str_equal);
    struct tz *tz = g_hash_table_lookup(cache, name);
    if (tz == NULL && (tz = zone_load(name)) != NULL)
        g_hash_table_insert(cache, (void *)tz->name, tz);
    pthread_mutex_unlock(&cache_lock);
    return tz;
}

const char *tz_name(const struct tz *tz)
{
    return tz->name;
}

/* The span in force at an instant: the last that has begun. */
static const struct span *span_at(const struct tz *tz, int64_t usec)
{
    size_t lo = 0, hi = tz->count;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (tz->spans[mid].since <= usec)
            lo = mid;
        else
            hi = mid;
    }
    return &tz->spans[lo];
}

int32_t tz_offset(const struct tz *tz, int64_t usec, int64_t *since, int64_t *until)
{
    const struct span *s = span_at(tz, usec);
    if (since != NULL)
        *since = s->since;
    if (until != NULL)
        *until = s + 1 < tz->spans + tz->count ? s[1].since : INT64_MAX;
    return s->offset;
}

const char *tz_abbrev(const struct tz *tz, int64_t usec)
{
    return span_at(tz, usec)->abbrev;
}

int64_t tz_from_local(const struct tz *tz, const struct civil *local)
{
    int64_t wall = civil_to_usec(local);
    size_t lo = 0, hi = tz->count;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (tz->spans[mid].wall_since <= wall)
            lo = mid;
        else
            hi = mid;
    }
    return wall - tz->spans[lo].offset * USEC_PER_SEC;
}

struct civil tz_to_local(const struct tz *tz, int64_t usec)
{
    return civil_from_usec(usec + span_at(tz, usec)->offset * USEC_PER_SEC);
}

/* Adds the zones below `path`, whose names begin with `prefix`. */
static void collect_names(const char *path, const char *prefix, int depth)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *entry;
    while (dir != NULL && (entry = g_dir_read_name(dir)) != NULL) {
        char *file = g_build_filename(path, entry, NULL);
        char *name = g_strconcat(prefix, entry, NULL);
        struct stat st;
        if (stat(file, &st) == 0 && S_ISDIR(st.st_mode)) {
            char *inner = g_strconcat(name, "/", NULL);
            if (depth < DEPTH_MAX)
                collect_names(file, inner, depth + 1);
            g_free(inner);
        } else if (name_allowed(name) && is_zone_file(file)) {
            g_ptr_array_add(names, g_strdup(name));
        }
        g_free(name);
        g_free(file);
    }
    if (dir != NULL)
        g_dir_close(dir);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void load_names(void)
{
    names = g_ptr_array_new();
    collect_names(database_dir(), "", 1);
    g_ptr_array_sort(names, compare_names);
}

const char *tz_candidate(const void *unused, size_t i)
{
    (void)unused;
    pthread_once(&names_once, load_names);
    return i < names->len ? g_ptr_array_index(names, i) : NULL;
}
