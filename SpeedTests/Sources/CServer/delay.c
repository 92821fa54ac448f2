#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "CServer.h"

/* Bytes on their way, and when they arrive. */
struct block {
    struct block *next;
    double due;
    ssize_t size;
    char bytes[1 << 16];
};

/* One direction of a connection: a thread reads, and another one writes what is due. */
struct way {
    int from, to;
    double delay;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct block *first, **end;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *take(void *argument) {
    struct way *way = argument;
    ssize_t size;
    do {
        struct block *block = malloc(sizeof *block);
        if (block == NULL) return NULL;
        size = block->size = read(way->from, block->bytes, sizeof block->bytes);
        block->due = now() + way->delay;
        block->next = NULL;
        pthread_mutex_lock(&way->lock);
        *way->end = block;
        way->end = &block->next;
        pthread_cond_signal(&way->changed);
        pthread_mutex_unlock(&way->lock);
    } while (size > 0);
    return NULL;
}

static void *give(void *argument) {
    struct way *way = argument;
    for (;;) {
        pthread_mutex_lock(&way->lock);
        while (way->first == NULL) pthread_cond_wait(&way->changed, &way->lock);
        struct block *block = way->first;
        way->first = block->next;
        if (way->first == NULL) way->end = &way->first;
        pthread_mutex_unlock(&way->lock);
        double left = block->due - now();
        if (left > 0) usleep((useconds_t)(left * 1e6));
        ssize_t size = block->size;
        for (ssize_t sent = 0, more; sent < size; sent += more) {
            more = send(way->to, block->bytes + sent, (size_t)(size - sent), MSG_NOSIGNAL);
            if (more <= 0) size = 0;
        }
        free(block);
        if (size <= 0) break;
    }
    shutdown(way->to, SHUT_WR);
    return NULL;
}

static void begin(int from, int to, double delay) {
    struct way *way = calloc(1, sizeof *way);
    if (way == NULL) return;
    pthread_t thread;
    *way = (struct way){.from = from, .to = to, .delay = delay};
    pthread_mutex_init(&way->lock, NULL);
    pthread_cond_init(&way->changed, NULL);
    way->end = &way->first;
    pthread_create(&thread, NULL, take, way);
    pthread_detach(thread);
    pthread_create(&thread, NULL, give, way);
    pthread_detach(thread);
}

struct proxy {
    int listener;
    double delay;
    struct sockaddr_un server;
};

static void *serve(void *argument) {
    struct proxy *proxy = argument;
    for (;;) {
        int client = accept(proxy->listener, NULL, NULL);
        int server = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(server, (struct sockaddr *)&proxy->server, sizeof proxy->server) != 0) {
            close(client);
            close(server);
            continue;
        }
        begin(client, server, proxy->delay);
        begin(server, client, proxy->delay);
    }
    return NULL;
}

static struct sockaddr_un address_in(const char *place) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.5432", place);
    return address;
}

const char *server_delay(const char *place, const char *server, uint32_t microseconds) {
    struct proxy *proxy = calloc(1, sizeof *proxy);
    if (proxy == NULL) return "no memory";
    struct sockaddr_un address = address_in(place);
    proxy->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    proxy->delay = microseconds * 1e-6;
    proxy->server = address_in(server);
    if (bind(proxy->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(proxy->listener, 50) != 0)
        return "no socket could be made";
    pthread_t thread;
    pthread_create(&thread, NULL, serve, proxy);
    pthread_detach(thread);
    return NULL;
}
