/* negotiate.h: codings by Accept-Encoding, clients by X-Forwarded-For. */
#include "obstream/http/negotiate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_codec(void **state)
{
    (void)state;
    static const struct {
        const char *header, *codec;
    } cases[] = {
        { NULL, "identity" },
        { "", "identity" },
        { "gzip", "gzip" },
        { "GZip", "gzip" },
        { "x-gzip", "gzip" },
        { "gzip, deflate, br", "gzip" },
        { "deflate, br", "identity" },
        { "gzip;q=0", "identity" },
        { "gzip;q=0.0, *", "identity" },
        { "gzip ; q=0", "identity" },
        { "gzip; Q=0", "identity" },
        { "gzip;q=0.001", "gzip" },
        { "gzip;level=5", "gzip" },
        { "gzip;level=5;q=0", "identity" },
        { "*", "gzip" },
        { "*;q=0", "identity" },
        { "*;q=0.5", "gzip" },
        { "identity, *;q=0.5", "identity" },
        { "identity;q=0", "identity" },
        { "identity;q=0, *;q=0.1", "gzip" },
        { "identity;q=0.5, gzip;q=1.0", "gzip" },
        { "gzip;q=0.5, identity;q=1", "identity" },
        { "gzip;q=0.5, identity;q=0.5", "gzip" },
        { "gzip;q=nan", "identity" },
        { "gzip;q=inf", "identity" },
        { "gzip;q=-1", "identity" },
        { "gzip;q=2", "identity" },
        { "gzip;q=", "identity" },
        { "gzip;q=0x1", "identity" },
        { "gzip;q", "gzip" },
        { ";;;,,=,q=1", "identity" },
        { "gzipper, gzi", "identity" },
        { ", ,gzip,", "gzip" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct codec *c = negotiate_codec(cases[i].header);
        if (strcmp(c->name, cases[i].codec) != 0)
            fail_msg("\"%s\" gives %s", cases[i].header, c->name);
    }
}

static struct proxy_list *proxies(const char *text)
{
    struct err e = ERR_INIT;
    struct proxy_list *l = proxy_list_parse(text, &e);
    if (l == NULL)
        fail_msg("%s", e.msg);
    return l;
}

static void client_is(const char *trusted, const char *peer, const char *forwarded,
                      const char *want)
{
    char out[64];
    struct proxy_list *l = proxies(trusted);
    client_address(l, peer, forwarded, out, sizeof(out));
    proxy_list_free(l);
    if (strcmp(out, want) != 0)
        fail_msg("trusted %s, peer %s, forwarded %s: %s", trusted, peer, forwarded, out);
}

static void test_client(void **state)
{
    (void)state;
    client_is("", "10.0.0.1", "1.2.3.4", "10.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", NULL, "10.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", "", "10.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", "1.2.3.4", "1.2.3.4");
    client_is("10.0.0.0/8", "11.0.0.1", "1.2.3.4", "11.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4");
    client_is("10.0.0.0/8", "10.0.0.1", "6.6.6.6,1.2.3.4\t, 10.9.9.9 ,", "1.2.3.4");
    client_is("10.0.0.0/8", "10.0.0.1", "10.3.3.3, 10.2.2.2", "10.3.3.3");
    client_is("10.0.0.0/8", "10.0.0.1", "6.6.6.6, nonsense", "10.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", "6.6.6.6, nonsense, 10.0.0.2", "10.0.0.2");
    client_is("10.0.0.0/8", "10.0.0.1", "1.2.3.4:80", "10.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", "2", "10.0.0.1"); /* not ::ffff:2 */
    client_is("10.0.0.0/8", "10.0.0.1", "beef", "10.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", "1.2.3.4\"x", "10.0.0.1");
    client_is("10.0.0.0/8", "10.0.0.1", " ,, ", "10.0.0.1");
    client_is("10.0.0.0/8", "unknown", "1.2.3.4", "unknown");
    client_is("0.0.0.0/0", "9.9.9.9", "1.2.3.4", "1.2.3.4");
    client_is("0.0.0.0/0", "2001:db8::1", "1.2.3.4", "2001:db8::1");
    client_is("::1, 10.0.0.1", "::1", "2001:db8::7, 10.0.0.1", "2001:db8::7");
    client_is("10.0.0.0/8", "::ffff:10.1.1.1", "1.2.3.4", "1.2.3.4");
    client_is("2001:db8::/33", "2001:db8:7fff::1", "1.2.3.4", "1.2.3.4");
    client_is("2001:db8::/33", "2001:db8:8000::1", "1.2.3.4", "2001:db8:8000::1");
    client_is("::/0", "10.0.0.1", "1.2.3.4", "1.2.3.4");
    client_is("192.168.4.128/25", "192.168.4.129", "1.2.3.4", "1.2.3.4");
    client_is("192.168.4.128/25", "192.168.4.127", "1.2.3.4", "192.168.4.127");
    client_is("10.0.0.1/32", "10.0.0.1", "1.2.3.4", "1.2.3.4");
    client_is("10.0.0.1/32", "10.0.0.0", "1.2.3.4", "10.0.0.0");
    client_is("::1/128", "::1", "1.2.3.4", "1.2.3.4");
    client_is("::1/128", "::2", "1.2.3.4", "::2");
}

/* What a client sends itself, however long, cannot push out what the proxy wrote behind it. */
static void test_flood(void **state)
{
    (void)state;
    enum { HOPS = 100000 };
    static const char real[] = "1.2.3.4";
    char *header = malloc(8 * HOPS + sizeof(real));
    assert_non_null(header);
    for (int i = 0; i < HOPS; i++)
        memcpy(header + (size_t)i * 8, "6.6.6.6,", 8);
    memcpy(header + (size_t)8 * HOPS, real, sizeof(real));
    client_is("10.0.0.0/8", "10.0.0.1", header, real);
    free(header);
}

/* A small room cuts, it does not overflow. */
static void test_room(void **state)
{
    (void)state;
    char out[8];
    struct proxy_list *l = proxies("::/0");
    client_address(l, "2001:db8::1", "2001:db8::2", out, sizeof(out));
    assert_string_equal(out, "2001:db");
    proxy_list_free(l);
}

static void test_bad_lists(void **state)
{
    (void)state;
    static const char *const bad[] = { "x",
                                       "10.0.0.0/33",
                                       "::/129",
                                       "10.0.0.0/",
                                       "10.0.0.0/8x",
                                       "10.0.0.0/-1",
                                       "10.0.0",
                                       "10.0.0.0/ 8",
                                       "10.0.0.0/+8",
                                       "10.0.0.0/18446744073709551616",
                                       "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:b" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct err e = ERR_INIT;
        char text[128];
        snprintf(text, sizeof(text), "10.0.0.1, %s", bad[i]);
        struct proxy_list *l = proxy_list_parse(text, &e);
        if (l != NULL)
            fail_msg("%s is taken", bad[i]);
        assert_int_equal(e.kind, ERR_PARAM);
        assert_non_null(strstr(e.msg, bad[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codec),     cmocka_unit_test(test_client),
        cmocka_unit_test(test_flood),     cmocka_unit_test(test_room),
        cmocka_unit_test(test_bad_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
