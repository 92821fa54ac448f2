#if defined(POSTGRESQL)
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "connection.h"

enum { parameters = 35, most_clients = 64 };

/* One client, with what it hands over again and again. */
struct client {
    pthread_t thread;
    struct connection connection;
    uint32_t saves;
    uint8_t bytes[512];
    int size;     /* of the operation, and the key behind it that has to be unchanged */
    char texts[parameters][48];
    const char *failure;
};

/* The operation that puts a row as it is, and the key whose change would be in conflict. */
static void fill(struct client *client, const char *schema, uint32_t row, bool full) {
    char text[512];
    struct connection *connection = &client->connection;
    snprintf(
        text, sizeof text,
        "SELECT number FROM %s.tables WHERE name = 'Song' AND until = %lld", schema,
        (long long)INT64_MAX);
    char *table = server_value(connection, text);
    snprintf(text, sizeof text, "SELECT class FROM %s.tables WHERE name = 'Song'", schema);
    char *class = server_value(connection, text);
    snprintf(text, sizeof text, "SELECT directory FROM %s.store", schema);
    char *directory = server_value(connection, text);
    snprintf(text, sizeof text, "SELECT last FROM %s.store", schema);
    char *last = server_value(connection, text);
    snprintf(
        text, sizeof text, "SELECT encode(value, 'hex') FROM %s.r_%s WHERE row = %u", schema,
        table ? table : "", row);
    char *value = server_value(connection, text);
    char key[32];
    snprintf(key, sizeof key, "derived.%s", class ? class : "");
    int count = value ? (int)strlen(value) / 2 : 0;
    if (connection->failed || count > 400 || count < 4) {
        client->failure = "there is no song";
        return;
    }
    unsigned number = (unsigned)atoi(table);
    uint8_t head[11] = {
        1, (uint8_t)number, (uint8_t)(number >> 8), (uint8_t)row, (uint8_t)(row >> 8), 0, 0,
        (uint8_t)(count - 4), (uint8_t)((count - 4) >> 8), 0, 0};
    memcpy(client->bytes, head, sizeof head);
    for (int index = 0; index < count; index++) {
        unsigned byte;
        sscanf(value + 2 * index, "%2x", &byte);
        client->bytes[11 + index] = (uint8_t)byte;
    }
    int tail = 11 + count;
    memcpy(client->bytes + tail, key, strlen(key));
    client->size = tail + (int)strlen(key);
    const char *fixed[parameters] = {
        [1] = "0", [3] = "30000", [4] = full ? "17" : "16", [5] = directory, [6] = last, [8] = "0",
        [10] = "0", [11] = "0", [32] = "{}", [33] = "{}", [34] = "{}", [31] = "{}"};
    for (int index = 0; index < parameters; index++)
        strcpy(client->texts[index], fixed[index] ? fixed[index] : "{}");
#define say(index, ...) snprintf(client->texts[index], sizeof client->texts[index], __VA_ARGS__)
    say(0, "%u", 1000 + row);
    say(13, "%d", tail);
    say(14, "%d", tail);
    say(15, "{%s,0}", table);
    say(16, "{38,23}");
    say(17, "{1,2}");
    say(18, "{%u,%d}", row, tail);
    say(19, "{0,%d}", (int)strlen(key));
    say(20, "{11,0}");
    say(21, "{%d,-3}", count);
    say(29, "{%s}", table);
    say(30, "{%u}", row);
#undef say
    free(table), free(class), free(directory), free(last), free(value);
}

static const char *prepare(struct client *client, const char *schema) {
    char text[512];
    int length = snprintf(text, sizeof text, "SELECT * FROM %s.commit(", schema);
    for (int index = 1; index <= parameters; index++)
        length += snprintf(
            text + length, sizeof text - (size_t)length, "$%d%s", index,
            index < parameters ? ", " : ")");
    PGresult *result = PQprepare(client->connection.handle, "commit", text, 0, NULL);
    bool isMade = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    return isMade ? NULL : "the call could not be prepared";
}

/* Calls the function, each time on the commit that the last answer gave. */
static void *save(void *argument) {
    struct client *client = argument;
    uint64_t token = (uint64_t)strtoull(client->texts[0], NULL, 10) << 32;
    for (uint32_t step = 0; step < client->saves && client->failure == NULL; step++) {
        const char *values[parameters];
        int lengths[parameters] = {0}, formats[parameters] = {0};
        snprintf(client->texts[2], sizeof client->texts[2], "%llu", (unsigned long long)++token);
        snprintf(
            client->texts[7], sizeof client->texts[7], "%lld000000", (long long)time(NULL));
        snprintf(client->texts[9], sizeof client->texts[9], "%llu", (unsigned long long)token);
        for (int index = 0; index < parameters; index++) values[index] = client->texts[index];
        values[12] = (const char *)client->bytes;
        lengths[12] = client->size;
        formats[12] = 1;
        PGresult *result = PQexecPrepared(
            client->connection.handle, "commit", parameters, values, lengths, formats, 0);
        if (PQresultStatus(result) != PGRES_TUPLES_OK || strcmp(PQgetvalue(result, 0, 0), "0") != 0)
            client->failure = "a commit was refused";
        else
            snprintf(
                client->texts[6], sizeof client->texts[6], "%s", PQgetvalue(result, 0, 2));
        PQclear(result);
    }
    return NULL;
}

const char *server_call_commit(
    const char *address, const char *schema, bool full, uint32_t clients, uint32_t saves,
    double *seconds) {
    static struct client all[most_clients];
    const char *failure = NULL;
    if (clients > most_clients) return "too many clients";
    for (uint32_t index = 0; index < clients; index++) {
        struct client *client = &all[index];
        *client = (struct client){.connection = server_connect(address), .saves = saves};
        fill(client, schema, index + 2, full);
        if (client->failure == NULL) client->failure = prepare(client, schema);
        if (client->failure != NULL) failure = client->failure;
    }
    double start = server_clock();
    for (uint32_t index = 0; index < clients && failure == NULL; index++)
        pthread_create(&all[index].thread, NULL, save, &all[index]);
    for (uint32_t index = 0; index < clients && failure == NULL; index++)
        pthread_join(all[index].thread, NULL);
    *seconds = server_clock() - start;
    for (uint32_t index = 0; index < clients; index++) {
        if (all[index].failure != NULL) failure = all[index].failure;
        const char *lost = server_disconnect(&all[index].connection);
        if (lost != NULL) failure = lost;
    }
    return failure;
}
#endif
