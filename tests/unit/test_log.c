/* log.h: one line an event, and nobody forges one. Standard error goes to a file meanwhile. */
#include "obstream/obs/log.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/obstream-test-log-XXXXXX";
static struct conf conf;

static int setup(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    int fd = mkstemp(path);
    if (fd < 0 || !conf_init(&conf, &e))
        return -1;
    close(fd);
    return conf_set(&conf, "log.access", path, &e) && log_open(&conf, &e) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    log_close();
    conf_release(&conf);
    return unlink(path);
}

/* What the file holds, once; it is emptied. */
static const char *written(void)
{
    static char text[1 << 20];
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = '\0';
    assert_int_equal(ftruncate(fileno(f), 0), 0);
    fclose(f);
    return text;
}

static struct access_entry entry(void)
{
    return (struct access_entry){ .client = "1.2.3.4",
                                  .method = "GET",
                                  .target = "/api/metar?station=DSM",
                                  .request_id = "00ff",
                                  .agent = "curl/8",
                                  .coding = "gzip",
                                  .status = 200,
                                  .duration = 12340,
                                  .first_byte = 1500,
                                  .rows = 3,
                                  .plain_bytes = 99,
                                  .sent_bytes = 42 };
}

static void test_access(void **state)
{
    (void)state;
    struct access_entry a = entry();
    log_access(&a);
    assert_string_equal(
        written(), "1970-01-01T00:00:00.000Z 1.2.3.4 \"GET /api/metar?station=DSM\" 200 rows=3 "
                   "plain=99 sent=42 coding=gzip ms=12.3 first_ms=1.5 id=00ff "
                   "agent=\"curl/8\"\n");
    a.first_byte = -1;
    a.failure = "the \"client\" is\ngone";
    log_access(&a);
    const char *line = written();
    assert_non_null(strstr(line, " first_ms=- "));
    assert_non_null(strstr(line, " failure=\"the \\x22client\\x22 is\\x0agone\"\n"));
}

static void test_forgery(void **state)
{
    (void)state;
    struct access_entry a = entry();
    a.method = "GET\" 200\n";
    a.target = "/x\r\n\x1b[31m\"\\\xff\xc3\xa9\x7f";
    a.agent = "\" id=forged\n1970-01-01";
    log_access(&a);
    const char *line = written();
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    assert_non_null(strstr(line, "\"GET\\x22 200\\x0a /x\\x0d\\x0a\\x1b[31m\\x22\\x5c\\xff\\xc3"
                                 "\\xa9\\x7f\" 200 "));
    assert_non_null(strstr(line, "agent=\"\\x22 id=forged\\x0a1970-01-01\"\n"));
    size_t n = 100000;
    char *longest = malloc(n + 1);
    assert_non_null(longest);
    memset(longest, 1, n);
    longest[n] = '\0';
    a.target = longest;
    log_access(&a);
    line = written();
    assert_int_equal(line[strlen(line) - 1], '\n');
    free(longest);
}

static void test_lines(void **state)
{
    (void)state;
    int saved = dup(STDERR_FILENO), fd = open(path, O_WRONLY | O_APPEND);
    assert_true(saved >= 0 && fd >= 0);
    char big[4000];
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    dup2(fd, STDERR_FILENO);
    log_line(LOG_WARNING, "two\nlines \x1b[1m \"%s\" \xff", "quoted");
    log_line(LOG_DEBUG, "not at this level");
    log_line(LOG_ERROR, "%s", big);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(fd);
    const char *text = written();
    assert_non_null(strstr(text, "Z warning: two lines \\x1b[1m \"quoted\" \\xff\n"));
    assert_null(strstr(text, "level"));
    assert_non_null(strstr(text, "Z error: xxx"));
    assert_non_null(strstr(text, "x...\n"));
}

static void test_rotation(void **state)
{
    (void)state;
    char moved[64];
    struct err e = ERR_INIT;
    struct access_entry a = entry();
    snprintf(moved, sizeof(moved), "%s.1", path);
    assert_int_equal(rename(path, moved), 0);
    log_access(&a); /* still into the old file */
    assert_int_equal(access(path, F_OK), -1);
    assert_true(log_reopen(&e));
    log_access(&a);
    assert_int_equal(strncmp(written(), "1970-", 5), 0);
    assert_int_equal(unlink(moved), 0);
}

static void test_cannot_open(void **state)
{
    (void)state;
    struct conf other;
    struct err e = ERR_INIT;
    assert_true(conf_init(&other, &e));
    assert_true(conf_set(&other, "log.access", "/nowhere/access.log", &e));
    assert_false(log_open(&other, &e));
    assert_int_equal(e.kind, ERR_IO);
    assert_non_null(strstr(e.msg, "/nowhere/access.log"));
    conf_release(&other);
    struct err e2 = ERR_INIT;
    assert_true(log_open(&conf, &e2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access),      cmocka_unit_test(test_forgery),
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_cannot_open),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
