#if defined(POSTGRESQL)
#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char message[512];

static void fail(struct connection *connection) {
    if (connection->failed) return;
    connection->failed = true;
    snprintf(message, sizeof message, "PostgreSQL: %s", PQerrorMessage(connection->handle));
}

struct connection server_connect(const char *address) {
    struct connection connection = {PQconnectdb(address), false};
    if (PQstatus(connection.handle) != CONNECTION_OK) fail(&connection);
    return connection;
}

void server_run(struct connection *connection, const char *text) {
    if (connection->failed) return;
    PGresult *result = PQexec(connection->handle, text);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN)
        fail(connection);
    PQclear(result);
}

char *server_value(struct connection *connection, const char *text) {
    if (connection->failed) return NULL;
    PGresult *result = PQexec(connection->handle, text);
    char *value = NULL;
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0)
        value = strdup(PQgetvalue(result, 0, 0));
    else
        fail(connection);
    PQclear(result);
    return value;
}

void server_copy(struct connection *connection, const char *bytes, int size) {
    if (connection->failed) return;
    if (bytes != NULL) {
        if (PQputCopyData(connection->handle, bytes, size) != 1) fail(connection);
        return;
    }
    if (PQputCopyEnd(connection->handle, NULL) != 1) fail(connection);
    PGresult *result;
    while ((result = PQgetResult(connection->handle)) != NULL) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(connection);
        PQclear(result);
    }
}

const char *server_disconnect(struct connection *connection) {
    PQfinish(connection->handle);
    return connection->failed ? message : NULL;
}

double server_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
#endif
