#ifndef SPEED_SERVER_H
#define SPEED_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/* libpq called from C, as the rival of a store over PostgreSQL. Each call that works makes its own
   connections, and says in `seconds` how long the work took without these. NULL, or why it failed. */

/* Fills a table of its own with `rows` rows by a binary COPY, in one transaction; values have `size`
   bytes. */
const char *server_copy_rows(
    const char *address, uint32_t rows, uint32_t size, double *seconds);

/* Reads all these rows in their order, as one binary answer. */
const char *server_select_rows(const char *address, uint32_t rows, uint32_t size, double *seconds);

/* `clients` at most 64, each on a thread of its own with a row of its own, call the function of a
   store's schema that commits, `saves` times each, with what a save of one object hands over. The
   table is that of the class `Song`; rows begin with 2. `full`: whether each call waits for the disk. */
const char *server_call_commit(
    const char *address, const char *schema, bool full, uint32_t clients, uint32_t saves,
    double *seconds);

/* Has what goes through a new socket in `place` to the server's socket in `server`, and back, take so
   many microseconds each way, for as long as the process lasts. */
const char *server_delay(const char *place, const char *server, uint32_t microseconds);

#endif
