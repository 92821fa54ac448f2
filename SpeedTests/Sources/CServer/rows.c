#if defined(POSTGRESQL)
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"

enum { largest_value = 4096, buffer_size = 1 << 16 };

static char *put(char *next, uint64_t number, int size) {
    for (int place = size - 1; place >= 0; place--, number >>= 8) next[place] = (char)number;
    return next + size;
}

/* The rows in the form that the manual describes: fields with their lengths, numbers with the highest
   byte first. */
static void copy(struct connection *connection, uint32_t rows, uint32_t size) {
    char buffer[buffer_size];
    char *next = buffer;
    memcpy(next, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
    next += 19;
    for (uint32_t row = 0; row < rows && !connection->failed; row++) {
        if (next + 64 + size > buffer + buffer_size) {
            server_copy(connection, buffer, (int)(next - buffer));
            next = buffer;
        }
        next = put(put(put(next, 3, 2), 8, 4), row + 2, 8);
        next = put(put(put(next, 8, 4), 1, 8), size, 4);
        memset(next, 'a' + (int)(row % 26), size);
        next += size;
    }
    next = put(next, 0xFFFF, 2);
    server_copy(connection, buffer, (int)(next - buffer));
    server_copy(connection, NULL, 0);
}

const char *server_copy_rows(
    const char *address, uint32_t rows, uint32_t size, double *seconds) {
    if (size > largest_value) return "a value is too large";
    struct connection connection = server_connect(address);
    server_run(&connection, "DROP TABLE IF EXISTS speed_rows");
    double start = server_clock();
    server_run(
        &connection,
        "BEGIN; CREATE TABLE speed_rows (row bigint PRIMARY KEY, made bigint NOT NULL, "
        "value bytea NOT NULL)");
    server_run(&connection, "COPY speed_rows FROM STDIN (FORMAT binary)");
    copy(&connection, rows, size);
    server_run(&connection, "COMMIT");
    *seconds = server_clock() - start;
    return server_disconnect(&connection);
}

const char *server_select_rows(
    const char *address, uint32_t rows, uint32_t size, double *seconds) {
    struct connection connection = server_connect(address);
    double start = server_clock();
    PGresult *result = PQexecParams(
        connection.handle, "SELECT row, value FROM speed_rows ORDER BY row", 0, NULL, NULL, NULL,
        NULL, 1);
    uint64_t bytes = 0;
    int found = PQntuples(result);
    for (int row = 0; row < found; row++) bytes += (uint64_t)PQgetlength(result, row, 1);
    PQclear(result);
    *seconds = server_clock() - start;
    if ((uint32_t)found != rows || bytes != (uint64_t)rows * size) connection.failed = true;
    return server_disconnect(&connection);
}
#endif
