/* conf.h: defaults, files and their faults, printing that reads back and keeps passwords. */
#include "obstream/conf/conf.h"
#include "obstream/core/strutil.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/obstream-test-conf-XXXXXX";

static int setup(void **state)
{
    (void)state;
    unsetenv("OBSTREAM_DSN");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const char *text, size_t len)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    fclose(f);
}

static struct conf defaults(void)
{
    struct conf c;
    struct err e = ERR_INIT;
    if (!conf_init(&c, &e))
        fail_msg("%s", e.msg);
    return c;
}

static struct conf read_text(const char *text)
{
    struct conf c = defaults();
    struct err e = ERR_INIT;
    write_file(text, strlen(text));
    if (!conf_read_file(&c, path, &e))
        fail_msg("%s", e.msg);
    return c;
}

static void test_defaults(void **state)
{
    (void)state;
    struct conf c = defaults();
    assert_string_equal(c.listen, "127.0.0.1");
    assert_int_equal(c.port, 8080);
    assert_int_equal(c.max_body, 4 << 20);
    assert_int_equal(c.gzip_level, -1);
    assert_string_equal(c.log_level, "info");
    assert_string_equal(conf_dsn(&c, DATASET_COOP), "");
    conf_release(&c);
    conf_release(&c); /* does nothing more */
}

static void test_environment(void **state)
{
    (void)state;
    setenv("OBSTREAM_DSN", "host=env", 1);
    struct conf c = defaults();
    unsetenv("OBSTREAM_DSN");
    assert_string_equal(c.dsn, "host=env");
    conf_release(&c);
}

static void test_file(void **state)
{
    (void)state;
    struct conf c = read_text("\xef\xbb\xbf# comment\n; comment\r\n\n  [server]\r\n\tport = 9 \r\n"
                              "listen=::1\n[database]\ndsn = a=b; c #d\nhads =host=h\ncoop =\n"
                              "[stream]\nsegment_target = 2M\nmemory=1g");
    assert_int_equal(c.port, 9);
    assert_string_equal(c.listen, "::1");
    assert_string_equal(c.dsn, "a=b; c #d");
    assert_string_equal(conf_dsn(&c, DATASET_HADS), "host=h");
    assert_string_equal(conf_dsn(&c, DATASET_COOP), "a=b; c #d");
    assert_int_equal(c.segment_target, 2 << 20);
    assert_int_equal(c.memory, 1 << 30);
    conf_release(&c);
}

/* Longer than any buffer a reader might have. */
static void test_long_line(void **state)
{
    (void)state;
    enum { LEN = 20000 };
    char *text = calloc(1, LEN + 64);
    assert_non_null(text);
    static const char start[] = "[database]\ndsn = ";
    memcpy(text, start, sizeof(start));
    memset(text + strlen(start), 'x', LEN);
    struct conf c = read_text(text);
    assert_int_equal(strlen(c.dsn), LEN);
    conf_release(&c);
    free(text);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "[server]\nprot = 1", "line 2: there is no key server.prot; did you mean \"port\"?" },
        { "[sever]\nport = 1", "line 2: there is no key sever.port" },
        { "port = 1", "line 1: there is no key .port" },
        { "[server]\n\nport = 80 ; http",
          "line 3: server.port = \"80 ; http\" is not a whole number" },
        { "[server]\nport = 65536", "server.port = 65536 is out of range: 0 to 65535" },
        { "[server]\nport = -1", "out of range" },
        { "[server]\nport = 99999999999999999999", "is not a whole number" },
        { "[server]\nport =", "\"\" is not a whole number" },
        { "[server]\nport = 1k", "is not a whole number" },
        { "[stream]\nmemory = 9999999999999g", "is out of range" },
        { "[stream]\nmemory = 1x", "(k, m or g may follow)" },
        { "[stream]\nmemory = 1kk", "(k, m or g may follow)" },
        { "[log]\nlevel = loud", "log.level = \"loud\" is none of error,warning,info,debug" },
        { "[log]\nlevel = info,debug", "is none of" },
        { "[server]\nport", "line 2: neither [section], key = value nor a # comment" },
        { "[server]\nlisten = a\n  b\n", "line 3: neither" },
        { "[server", "line 1: neither" },
        { "[", "line 1: neither" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct conf c = defaults();
        struct err e = ERR_INIT;
        write_file(cases[i].text, strlen(cases[i].text));
        if (conf_read_file(&c, path, &e))
            fail_msg("%s is taken", cases[i].text);
        assert_int_equal(e.kind, ERR_PARAM);
        if (strstr(e.msg, cases[i].message) == NULL || strstr(e.msg, path) == NULL)
            fail_msg("%s gives \"%s\"", cases[i].text, e.msg);
        conf_release(&c);
    }
}

static void test_no_text(void **state)
{
    (void)state;
    struct conf c = defaults();
    struct err e = ERR_INIT, e2 = ERR_INIT, e3 = ERR_INIT;
    write_file("[server]\nport = 1\0 2\n", 21);
    assert_false(conf_read_file(&c, path, &e));
    assert_non_null(strstr(e.msg, "line 2: a NUL byte"));
    assert_false(conf_read_file(&c, "/nowhere/obstream.conf", &e2));
    assert_int_equal(e2.kind, ERR_IO);
    assert_non_null(strstr(e2.msg, "/nowhere/obstream.conf"));
    assert_false(conf_read_file(&c, "/tmp", &e3)); /* a folder opens, but does not read */
    assert_int_equal(e3.kind, ERR_IO);
    conf_release(&c);
}

static void test_set(void **state)
{
    (void)state;
    struct conf c = defaults();
    struct err e = ERR_INIT;
    assert_true(conf_set(&c, "server.port", "81", &e));
    assert_int_equal(c.port, 81);
    static const char *const bad[][2] = { { "port", "1" },
                                          { "server.", "1" },
                                          { ".port", "1" },
                                          { "server.port.x", "1" },
                                          { "server.listen", "a\n[log]" },
                                          { "0123456789012345678901234567890123456789.x", "1" } };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct err e2 = ERR_INIT;
        assert_false(conf_set(&c, bad[i][0], bad[i][1], &e2));
        assert_int_equal(e2.kind, ERR_PARAM);
    }
    assert_string_equal(c.listen, "127.0.0.1");
    conf_release(&c);
}

static void test_ini_reads_back(void **state)
{
    (void)state;
    struct conf c = read_text("[database]\ndsn = host=x password='a;b #c' ; d\n[stream]\n"
                              "segment_target=123456\n[log]\nlevel=debug\n");
    struct buf first = BUF_INIT(BUF_LIMIT_MESSAGE), second = BUF_INIT(BUF_LIMIT_MESSAGE);
    conf_print_ini(&c, &first);
    struct conf again = read_text(first.data);
    conf_print_ini(&again, &second);
    assert_string_equal(first.data, second.data);
    assert_string_equal(again.dsn, "host=x password='a;b #c' ; d");
    buf_release(&first);
    buf_release(&second);
    conf_release(&c);
    conf_release(&again);
}

static void masked_as(const char *dsn, const char *want)
{
    struct conf c = defaults();
    struct err e = ERR_INIT;
    assert_true(conf_set(&c, "database.dsn", dsn, &e));
    char *text = conf_print_json(&c);
    json_t *root = json_loads(text, 0, NULL);
    json_t *key = json_object_get(json_object_get(root, "database"), "dsn");
    assert_string_equal(json_string_value(json_object_get(key, "value")), want);
    assert_null(strstr(text, "s3cret"));
    json_decref(root);
    free(text);
    conf_release(&c);
}

static void test_passwords(void **state)
{
    (void)state;
    masked_as("host=x user=y", "host=x user=y");
    masked_as("password=s3cret host=x", "password=*** host=x");
    masked_as("host=x password = s3cret port=1", "host=x password = *** port=1");
    masked_as("password='it\\'s s3cret' host=x", "password=*** host=x");
    masked_as("password='s3cret", "password=***");
    masked_as("password=a\\ s3cret host=x", "password=*** host=x");
    masked_as("sslpassword=s3cret1 password=s3cret2", "sslpassword=*** password=***");
    masked_as("postgresql://me:s3cret@h/db", "postgresql://me:***@h/db");
    masked_as("postgres://me:s3@cret@h/db", "postgres://me:***@h/db");
    masked_as("postgresql://me@h:5432/db", "postgresql://me@h:5432/db");
    masked_as("postgresql://h/db?password=s3cret&x=1", "postgresql://h/db?password=***&x=1");
    masked_as("postgresql://a:s3cret@h/?sslpassword=s3cret",
              "postgresql://a:***@h/?sslpassword=***");
    masked_as("passfile=/a/password", "passfile=/a/password");
    masked_as("password=", "password=***");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),  cmocka_unit_test(test_environment),
        cmocka_unit_test(test_file),      cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_faults),    cmocka_unit_test(test_no_text),
        cmocka_unit_test(test_set),       cmocka_unit_test(test_ini_reads_back),
        cmocka_unit_test(test_passwords),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
