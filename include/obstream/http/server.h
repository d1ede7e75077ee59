/*
 * The HTTP server: libmicrohttpd's epoll pool. Its threads never wait for the database; a
 * connection without data is suspended and resumed when its next segment is ready.
 */
#ifndef OBSTREAM_HTTP_SERVER_H
#define OBSTREAM_HTTP_SERVER_H

#include "obstream/api/endpoint.h"

struct server;

/* Listens at once; the failure names the address and the remedy. `api` must outlive the server. */
struct server *server_start(const struct api *api, struct err *e);

unsigned server_port(const struct server *s);

/* No new connections; running answers may end within drain_timeout; then everything is closed.
 * False when workers still wait for a database that does not answer: then the server's memory is
 * still in use, and the process must end without waiting for them. */
bool server_stop(struct server *s);

#endif
