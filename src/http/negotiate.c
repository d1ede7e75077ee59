#include "obstream/http/negotiate.h"

#include "obstream/core/strutil.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* q of one element "gzip;q=0.5" (RFC 9110, 12.4.2); the coding's length in *len. What is no number
 * from 0 to 1 is taken as 0: not acceptable. */
static double element_quality(const char *s, size_t *len)
{
    *len = strcspn(s, "; \t");
    for (const char *p = strchr(s, ';'); p != NULL; p = strchr(p, ';')) {
        p += 1 + strspn(p + 1, " \t");
        if ((*p != 'q' && *p != 'Q') || p[1] != '=')
            continue;
        size_t digits = strspn(p + 2, "0123456789.");
        bool number = digits > 0 && strchr("; \t", p[2 + digits]) != NULL;
        double v = number ? strtod(p + 2, NULL) : 0;
        return v <= 1 ? v : 0;
    }
    return 1;
}

static bool named(const struct codec *c, const char *s, size_t len)
{
    const char *names[] = { c->name, c->alias };
    for (int i = 0; i < 2; i++) {
        if (names[i] != NULL && strlen(names[i]) == len && strncasecmp(names[i], s, len) == 0)
            return true;
    }
    return false;
}

/* The q a list gives a codec: its own element, else `*`, else none (-1). */
static double codec_quality(const struct strlist *elements, const struct codec *c)
{
    double any = -1;
    for (size_t i = 0; i < elements->count; i++) {
        size_t len;
        double q = element_quality(elements->items[i], &len);
        if (named(c, elements->items[i], len))
            return q;
        if (len == 1 && elements->items[i][0] == '*')
            any = q;
    }
    return any;
}

const struct codec *negotiate_codec(const char *accept_encoding)
{
    if (accept_encoding == NULL)
        return &codec_identity;
    struct arena a = ARENA_INIT(1 << 20);
    struct strlist elements = { 0 };
    strlist_split(&elements, &a, accept_encoding);
    const struct codec *best = &codec_identity;
    double best_q = 0;
    for (const struct codec *const *c = codecs; *c != NULL; c++) {
        double q = codec_quality(&elements, *c);
        if (q > best_q) {
            best = *c;
            best_q = q;
        }
    }
    arena_release(&a);
    return best;
}

struct proxy_net {
    struct in6_addr address; /* IPv4 as ::ffff:a.b.c.d */
    unsigned bits;
};

struct proxy_list {
    size_t count;
    struct proxy_net nets[];
};

static bool parse_address(const char *text, struct in6_addr *out, bool *v4)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    *v4 = strchr(text, ':') == NULL;
    if (!*v4)
        return inet_pton(AF_INET6, text, out) == 1;
    memcpy(out->s6_addr, mapped, sizeof(mapped));
    return inet_pton(AF_INET, text, out->s6_addr + sizeof(mapped)) == 1;
}

static bool parse_net(const char *text, struct proxy_net *net)
{
    char address[INET6_ADDRSTRLEN];
    size_t n = strcspn(text, "/");
    bool v4;
    if (n >= sizeof(address))
        return false;
    memcpy(address, text, n);
    address[n] = '\0';
    if (!parse_address(address, &net->address, &v4))
        return false;
    unsigned width = v4 ? 32 : 128, bits = width;
    if (text[n] == '/') {
        const char *digits = text + n + 1;
        unsigned long v = strtoul(digits, NULL, 10);
        if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits) || v > width)
            return false;
        bits = (unsigned)v;
    }
    net->bits = bits + (v4 ? 96 : 0);
    return true;
}

struct proxy_list *proxy_list_parse(const char *text, struct err *e)
{
    struct arena a = ARENA_INIT(1 << 20);
    struct strlist parts = { 0 };
    strlist_split(&parts, &a, text);
    struct proxy_list *l = calloc(1, sizeof(*l) + parts.count * sizeof(l->nets[0]));
    for (size_t i = 0; l != NULL && i < parts.count; i++) {
        if (parse_net(parts.items[i], &l->nets[l->count++]))
            continue;
        err_set(e, ERR_PARAM,
                "server.trusted_proxies: \"%s\" is no address or network like 10.0.0.0/8",
                parts.items[i]);
        free(l);
        l = NULL;
    }
    arena_release(&a);
    if (l == NULL)
        err_set(e, ERR_INTERNAL, "out of memory");
    return l;
}

void proxy_list_free(struct proxy_list *l)
{
    free(l);
}

static bool net_has(const struct proxy_net *net, const struct in6_addr *a)
{
    unsigned bytes = net->bits / 8, rest = net->bits % 8;
    if (memcmp(net->address.s6_addr, a->s6_addr, bytes) != 0)
        return false;
    unsigned char mask = (unsigned char)(0xff00u >> rest);
    return rest == 0 || ((net->address.s6_addr[bytes] ^ a->s6_addr[bytes]) & mask) == 0;
}

static bool trusted_proxy(const struct proxy_list *l, const char *text)
{
    struct in6_addr a;
    bool v4;
    if (!parse_address(text, &a, &v4))
        return false;
    for (size_t i = 0; i < l->count; i++) {
        if (net_has(&l->nets[i], &a))
            return true;
    }
    return false;
}

/* Takes the last element off the list text[0..*len) into hop; false when there is none, or when it
 * is longer than any address. */
static bool last_hop(const char *text, size_t *len, char *hop, size_t room)
{
    static const char between[] = " \t,";
    size_t end = *len, start;
    while (end > 0 && strchr(between, text[end - 1]) != NULL)
        end--;
    for (start = end; start > 0 && text[start - 1] != ','; start--)
        ;
    *len = start;
    while (start < end && strchr(between, text[start]) != NULL)
        start++;
    if (start == end || end - start >= room)
        return false;
    memcpy(hop, text + start, end - start);
    hop[end - start] = '\0';
    return true;
}

/* Read from the end: what a client itself wrote stands first, and however much it is, it cannot
 * push out what the proxies added. */
void client_address(const struct proxy_list *trusted, const char *peer, const char *forwarded,
                    char *out, size_t room)
{
    char client[INET6_ADDRSTRLEN], hop[INET6_ADDRSTRLEN];
    size_t left = forwarded != NULL ? strlen(forwarded) : 0;
    snprintf(client, sizeof(client), "%s", peer);
    while (trusted_proxy(trusted, client) && last_hop(forwarded, &left, hop, sizeof(hop))) {
        struct in6_addr unused;
        bool v4;
        if (!parse_address(hop, &unused, &v4))
            break; /* not an address: what is before it cannot be believed either */
        memcpy(client, hop, sizeof(client));
    }
    snprintf(out, room, "%s", client);
}
