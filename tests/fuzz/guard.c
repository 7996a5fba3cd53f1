/* Catches a parser's refusal of its input: the linker redirects calls of exit(), and of all functions that
 * allocate memory or open files, to this file. */
#include "tests/fuzz/fuzz.h"

#include "base/failure.h"
#include "harness/result.h"
#include "report/results.h"
#include "report/table.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

enum kind { NOTHING, MEMORY, GZIP, STREAM, FOLDER };

/* The memory blocks and files that the target holds: a hash table with open addressing, because parsers
 * hold many small blocks. A search does not end at the slot of a freed entry, and a new entry may use such
 * a slot. */
#define MOST (1 << 18)
static struct held {
    void *what;
    enum kind kind;
} held[MOST];
static size_t used;
static bool inside;
static jmp_buf refused;

/* Returns the slot of the entry `what`, or the slot that it would get if it is not in the table. */
static struct held *place_of(const void *what)
{
    struct held *given_back = NULL;
    size_t at = (size_t)(((uintptr_t)what >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % MOST;
    for (; held[at].kind; at = (at + 1) % MOST) {
        if (held[at].what == what)
            return &held[at];
        if (!held[at].what && !given_back)
            given_back = &held[at];
    }
    return given_back ? given_back : &held[at];
}

/* Builds the hash table again, without the slots of freed entries. */
static void put_together(void)
{
    static struct held live[MOST];
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++)
        if (held[i].what)
            live[count++] = held[i];
    if (count > MOST / 4)
        abort();
    memset(held, 0, sizeof held);
    for (size_t i = 0; i < count; i++)
        *place_of(live[i].what) = live[i];
    used = count;
}

static void *hold(void *what, enum kind kind)
{
    if (!inside || !what)
        return what;
    struct held *place = place_of(what);
    used += !place->kind;
    *place = (struct held){what, kind};
    if (used > MOST / 2)
        put_together();
    return what;
}

static void let_go(const void *what)
{
    struct held *place = inside && what ? place_of(what) : NULL;
    if (place && place->what == what)
        place->what = NULL;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return hold(__real_malloc(bytes), MEMORY);
}
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return hold(__real_calloc(count, bytes), MEMORY);
}
void *__real_realloc(void *p, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes)
{
    let_go(p);
    return hold(__real_realloc(p, bytes), MEMORY);
}
void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
    let_go(p);
    __real_free(p);
}
gzFile __real_gzopen(const char *path, const char *mode);
gzFile __wrap_gzopen(const char *path, const char *mode);
gzFile __wrap_gzopen(const char *path, const char *mode)
{
    return hold(__real_gzopen(path, mode), GZIP);
}
int __real_gzclose(gzFile file);
int __wrap_gzclose(gzFile file);
int __wrap_gzclose(gzFile file)
{
    let_go(file);
    return __real_gzclose(file);
}
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    return hold(__real_fopen(path, mode), STREAM);
}
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
/* The text of a stream of open_memstream() exists when the stream is closed. At most one is open at a
 * time. */
static FILE *text_stream;
static char **text_of_stream;
FILE *__real_open_memstream(char **text, size_t *bytes);
FILE *__wrap_open_memstream(char **text, size_t *bytes);
FILE *__wrap_open_memstream(char **text, size_t *bytes)
{
    FILE *stream = __real_open_memstream(text, bytes);
    if (inside) {
        text_stream = stream;
        text_of_stream = text;
    }
    return stream;
}
int __wrap_fclose(FILE *file)
{
    let_go(file);
    int status = __real_fclose(file);
    if (inside && file == text_stream) {
        hold(*text_of_stream, MEMORY);
        text_stream = NULL;
    }
    return status;
}
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    return hold(__real_opendir(path), FOLDER);
}
int __real_closedir(DIR *folder);
int __wrap_closedir(DIR *folder);
int __wrap_closedir(DIR *folder)
{
    let_go(folder);
    return __real_closedir(folder);
}

void __real_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status)
{
    if (!inside)
        __real_exit(status);
    longjmp(refused, status + 1);
}

static void release_all(void)
{
    for (size_t i = 0; used && i < MOST; i++) {
        struct held h = held[i];
        held[i] = (struct held){NULL, NOTHING};
        if (!h.what)
            continue;
        if (h.kind == MEMORY)
            __real_free(h.what);
        else if (h.kind == GZIP)
            __real_gzclose(h.what);
        else if (h.kind == STREAM)
            __real_fclose(h.what);
        else if (h.kind == FOLDER)
            __real_closedir(h.what);
    }
    used = 0;
}

void fuzz_keep_held(void)
{
    if (used)
        memset(held, 0, sizeof held);
    used = 0;
}

/* Aborts unless the exit status of a refusal is a documented one and its message is one line on stderr.
 * --help succeeds without such a line. */
static void check_refusal(int status, const char *said)
{
    size_t length = strlen(said);
    bool one_line = length > 1 && strchr(said, '\n') == said + length - 1;
    if (!(status == EXIT_VERIFIED && !length) &&
        !((status == EXIT_BAD_INPUT || status == EXIT_CANNOT) && one_line)) {
        fprintf(stderr, "status %d after \"%s\"\n", status, said);
        abort();
    }
}

/* Calls the target and returns the status with which it called exit(), or -1 if it returned. */
static int call(const struct fuzz_target *target, const char *path, char *text, size_t size)
{
    volatile int status = -1;
    int jumped = setjmp(refused);
    if (!jumped) {
        inside = true;
        target->read(path, text, size);
    } else {
        status = jumped - 1;
        journal_close(); /* its memory is freed below, like all memory that a refused input has allocated */
    }
    results_forget();
    made_forget();
    inside = false;
    return status;
}

void fuzz_one(const struct fuzz_target *target, const unsigned char *data, size_t size)
{
    static cJSON_Hooks hooks = {__wrap_malloc, __wrap_free};
    cJSON_InitHooks(&hooks);
    int file = memfd_create("input", 0);
    char path[40], *text = calloc(1, size + 1), *said = NULL;
    size_t said_bytes;
    FILE *usual = stderr, *usual_output = stdout, *heard = open_memstream(&said, &said_bytes);
    if (file < 0 || !text || !heard || write(file, data, size) != (ssize_t)size)
        abort();
    memcpy(text, data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    stderr = heard;
    int status = call(target, path, text, size);
    stderr = usual;
    stdout = usual_output; /* restores stdout, which a target that writes to stdout has replaced */
    fclose(heard);
    if (status >= 0) {
        check_refusal(status, said);
        release_all();
    } else {
        fuzz_keep_held();
    }
    __real_free(said);
    free(text);
    close(file);
}
