/* What a client accepts, and who it is. Pure functions over header texts. */
#ifndef OBSTREAM_HTTP_NEGOTIATE_H
#define OBSTREAM_HTTP_NEGOTIATE_H

#include "obstream/core/err.h"
#include "obstream/output/codec.h"

/* The best codec by the q-values of Accept-Encoding (RFC 9110, 12.5.3); identity when the header is
 * absent or names nothing we have. Among equals the first of codecs[] wins. */
const struct codec *negotiate_codec(const char *accept_encoding);

/* Addresses and networks (10.0.0.0/8, ::1) whose X-Forwarded-For is believed. */
struct proxy_list;
struct proxy_list *proxy_list_parse(const char *text, struct err *e); /* NULL: fault */
void proxy_list_free(struct proxy_list *l);

/* Writes the client's address: the peer's, or, while that is a trusted proxy, the one that
 * X-Forwarded-For names before it (the last that is not trusted itself). */
void client_address(const struct proxy_list *trusted, const char *peer, const char *forwarded,
                    char *out, size_t room);

#endif
