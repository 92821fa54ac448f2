#include "tokyo_file.h"

#include <stdio.h>

/* A buffer has a song's bytes without the version. */
const char *tokyo_insert_names(const struct speed_task *task, struct speed_proof *proof) {
    struct file file = tokyo_file_open(task, "NamedBuffers", task->objects);
    for (uint32_t number = 0; number < task->objects && !file.failed; number++) {
        char name[32];
        unsigned char value[64];
        int name_length = snprintf(name, sizeof name, "Buffer %u", number);
        int length = tokyo_song(value, number);
        tokyo_file_put(&file, name, name_length, value + 1, length - 1);
        proof->count++;
        proof->sum += number;
    }
    return tokyo_file_close(&file);
}

const char *tokyo_fetch_names(const struct speed_task *task, struct speed_proof *proof) {
    struct file file = tokyo_file_open(task, "NamedBuffers", task->objects);
    for (uint32_t index = 0; index < task->objects && !file.failed; index++) {
        char name[32];
        unsigned char value[64];
        int name_length = snprintf(name, sizeof name, "Buffer %u", index);
        int length = tchdbget3(file.handle, name, name_length, value, sizeof value);
        if (length < 8) break;
        proof->count++;
        proof->sum += tokyo_number(value, length);
    }
    return tokyo_file_close(&file);
}
