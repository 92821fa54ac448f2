#include "tokyo_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
/* Cabinet's yield gate, where this program is linked with it. */
__attribute__((weak)) bool cabinet_yield_gate_close(void);
#endif

static char message[256] = "Tokyo Cabinet: a walk ended early";

static void note_failure(struct file *file) {
    if (file->failed) return;
    file->failed = true;
    snprintf(message, sizeof message, "Tokyo Cabinet: %s", tchdberrmsg(tchdbecode(file->handle)));
}

struct file tokyo_file_open(const struct speed_task *task, const char *name, uint32_t records) {
#ifdef __linux__
    if (cabinet_yield_gate_close) cabinet_yield_gate_close();
#endif
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", task->directory, name);
    struct file file = {tchdbnew(), false};
    int64_t size = (int64_t)records * 512 + (256 << 20);
    if (!tchdbtune(file.handle, (int64_t)records * 2 + 1, 4, -1, 0)
        || !tchdbsetxmsiz(file.handle, size)
        || !tchdbopen(file.handle, path, HDBOWRITER | HDBOCREAT | HDBONOLCK)) {
        note_failure(&file);
    }
    return file;
}

int tokyo_key(char *key, uint32_t row) {
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + row % 10);
        row /= 10;
    } while (row);
    for (int index = 0; index < count; index++) key[index] = digits[count - 1 - index];
    return count;
}

int tokyo_song(unsigned char *value, uint32_t number) {
    uint32_t length = (uint32_t)snprintf((char *)value + 5, 32, "Test Song %u", number);
    value[0] = 1;
    memcpy(value + 1, &length, 4);
    memcpy(value + 5 + length, &number, 4);
    memset(value + 9 + length, 0, 4);
    return (int)length + 13;
}

uint32_t tokyo_number(const unsigned char *value, int length) {
    uint32_t number;
    memcpy(&number, value + length - 8, 4);
    return number;
}

void tokyo_file_put(
    struct file *file, const char *key, int key_length, const void *value, int length) {
    if (file->failed) return;
    if (!tchdbput(file->handle, key, key_length, value, length)) note_failure(file);
}

int tokyo_file_get(struct file *file, uint32_t row, void *value, int room) {
    char key[16];
    if (file->failed) return -1;
    int length = tchdbget3(file->handle, key, tokyo_key(key, row), value, room);
    if (length < 0) note_failure(file);
    return length;
}

void tokyo_file_put_songs(struct file *file, uint32_t songs, struct speed_proof *proof) {
    for (uint32_t number = 0; number < songs && !file->failed; number++) {
        char key[16];
        unsigned char value[64];
        int key_length = tokyo_key(key, number + first_row);
        tokyo_file_put(file, key, key_length, value, tokyo_song(value, number));
        proof->count++;
        proof->sum += number;
    }
}

const char *tokyo_file_close(struct file *file) {
    if (!tchdbclose(file->handle)) note_failure(file);
    tchdbdel(file->handle);
    return file->failed ? message : NULL;
}
