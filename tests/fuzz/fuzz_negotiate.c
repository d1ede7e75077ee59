/* Accept-Encoding, a list of proxies and X-Forwarded-For: three lines of the input. */
#include "fuzz.h"

#include "obstream/http/negotiate.h"

#include <arpa/inet.h>

static bool is_address(const char *text)
{
    unsigned char room[16];
    return inet_pton(AF_INET, text, room) == 1 || inet_pton(AF_INET6, text, room) == 1;
}

static char *next_line(char **at)
{
    char *line = strsep(at, "\n");
    return line != NULL ? line : "";
}

static void check_client(const struct proxy_list *l, const char *peer, const char *forwarded)
{
    char out[64];
    client_address(l, peer, forwarded, out, sizeof(out));
    MUST(is_address(out));
    MUST(strcmp(out, peer) == 0 || strstr(forwarded, out) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct err e = ERR_INIT;
    char *text = input_text(&in), *at = text;
    const char *accept = next_line(&at), *proxies = next_line(&at), *forwarded = next_line(&at);
    const struct codec *codec = negotiate_codec(accept);
    MUST(codec == &codec_identity || strchr(accept, '*') != NULL ||
         strcasestr(accept, codec->name) != NULL);
    struct proxy_list *l = proxy_list_parse(proxies, &e);
    MUST((l == NULL) == (e.kind != ERR_NONE));
    if (l != NULL) {
        check_client(l, "10.0.0.1", forwarded);
        check_client(l, "2001:db8::1", forwarded);
    }
    proxy_list_free(l);
    free(text);
    return 0;
}
