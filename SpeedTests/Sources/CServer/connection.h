#ifndef SPEED_CONNECTION_H
#define SPEED_CONNECTION_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "CServer.h"

/* A connection; after the first failure nothing more is done by it. */
struct connection {
    PGconn *handle;
    bool failed;
};

struct connection server_connect(const char *address);
void server_run(struct connection *connection, const char *text);

/* The first value of the first row as text, to be freed; NULL: there is none. */
char *server_value(struct connection *connection, const char *text);

/* Sends bytes of a COPY; NULL ends it. */
void server_copy(struct connection *connection, const char *bytes, int size);

/* NULL, or why something has failed. */
const char *server_disconnect(struct connection *connection);

/* Seconds on a clock that never goes back. */
double server_clock(void);

#endif
