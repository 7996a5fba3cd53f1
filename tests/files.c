/* Tests what base/ promises about files (base/file.h), failures (base/failure.h), memory (base/memory.h) and
 * work on all processors (base/parallel.h). The hashes are known answers: FNV-1a's published ones, and one
 * by another program (Python). tests/cli has the files that no program takes as input or output. */
#include "base/file.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "tests/check.h"
#include "tests/refusal.h"

#include <dirent.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#define LONG_BYTES 200001 /* more than three of the buffers with which files are read */

static char folder[] = "/tmp/gpusync-test-XXXXXX", one[64], other[64];

static void put(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0)
        exit(EXIT_CANNOT);
}

/* Returns whether the file has this text. */
static bool has(const char *path, const char *text)
{
    char *found = file_text(path);
    bool same = found && strcmp(found, text) == 0;
    free(found);
    return same;
}

/* Returns the number of files and folders in the test's folder. */
static int entries(void)
{
    int count = -2; /* . and .. */
    DIR *all = opendir(folder);
    while (all && readdir(all))
        count++;
    closedir(all);
    return count;
}

static void check_reading(void)
{
    static char text[LONG_BYTES];
    for (size_t i = 0; i < LONG_BYTES; i++)
        text[i] = (char)(i % 251);
    put(one, "", 0);
    check(file_hash(one) == 0xcbf29ce484222325, "the hash of an empty file is that of FNV-1a");
    put(one, "a", 1);
    check(file_hash(one) == 0xaf63dc4c8601ec8c, "the hash of \"a\" is that of FNV-1a");
    put(one, "foobar", 6);
    check(file_hash(one) == 0x85944171f73967e8, "the hash of \"foobar\" is that of FNV-1a");
    check(has(one, "foobar"), "a file is read to its end");
    put(one, text, LONG_BYTES);
    check(file_hash(one) == 0x9f32d1c04d83b733, "the hash of a long file is that of another program");
    char *found = file_text(one);
    check(found && memcmp(found, text, LONG_BYTES) == 0 && found[LONG_BYTES] == '\0',
          "a long file is read to its end, with a zero byte after it");
    free(found);
    unlink(one);
    check(file_hash(one) == 0, "the hash of no file is 0");
    check(!file_text(one), "the text of no file is NULL");
}

static void check_names(void)
{
    char fifo[80];
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    check(mkfifo(fifo, 0600) == 0 && file_is_special(fifo), "a pipe is special");
    check(file_is_special("/dev/null") && file_is_special("/dev/stdout") && file_is_special("/dev/fd/1"),
          "devices and descriptors are special");
    put(one, "x", 1);
    check(!file_is_special(one) && !file_is_special(folder) && !file_is_special(other),
          "files, folders and missing files are not special");
    check(link(one, other) == 0 && is_same_file(one, other) && is_same_file(one, one),
          "two names of a file are the same file");
    unlink(other);
    check(!is_same_file(one, other) && !is_same_file(other, one), "a missing file is not the same");
    put(other, "x", 1);
    check(!is_same_file(one, other) && !is_same_file(other, one), "a copy is another file");
    unlink(other);
    unlink(fifo);
    char deep[160];
    struct stat facts;
    snprintf(deep, sizeof deep, "%s/a/b/file", folder);
    file_make_folders(deep);
    check(stat(deep, &facts) != 0, "the folders above a file are made, and not the file");
    *strrchr(deep, '/') = '\0';
    check(stat(deep, &facts) == 0 && S_ISDIR(facts.st_mode), "folders are made at every depth");
    check(chdir(folder) == 0 && (file_make_folders("c/file"), stat("c", &facts)) == 0 &&
              S_ISDIR(facts.st_mode),
          "folders are made below the present one");
    rmdir("c");
    rmdir("a/b");
    rmdir("a");
}

static void begin_and_fail(void)
{
    struct new_file f = file_begin(other);
    fputs("half", f.file);
    fail(EXIT_CANNOT, "it cannot go on");
}

static void finish_many_and_fail(void)
{
    for (int i = 0; i < 100; i++) {
        struct new_file f = file_begin(one);
        file_finish(&f);
    }
    begin_and_fail();
}

static void fill_device(void)
{
    struct new_file f = file_begin("/dev/full");
    fputs("much", f.file);
    file_finish(&f);
}

static void begin_nowhere(void)
{
    file_begin("/nowhere/at/all");
}

static void check_writing(void)
{
    char message[MESSAGE_BYTES], left[80];
    put(one, "old", 3);
    unlink(other);
    int before = entries();
    struct new_file a = file_begin(one), b = file_begin(one);
    fputs("first", a.file);
    check(has(one, "old"), "a file has its old content until the new one is complete");
    check(strcmp(a.temporary, b.temporary) != 0, "two writers of a file have two temporary names");
    file_finish(&a);
    check(has(one, "first"), "it has the new content then");
    fputs("second", b.file);
    file_finish(&b);
    check(has(one, "second"), "the writer that ends last wins");
    check(entries() == before, "complete files leave no temporary one");
    check(status_of(begin_and_fail, message) == EXIT_CANNOT && access(other, F_OK) != 0 &&
              entries() == before,
          "a program that fails leaves no file");
    check(status_of(finish_many_and_fail, message) == EXIT_CANNOT && entries() == before,
          "one that fails after many complete files leaves none either");
    check(status_of(fill_device, message) == EXIT_BAD_INPUT && strstr(message, "No space left"),
          "what cannot be written is refused: %s", message);
    check(status_of(begin_nowhere, message) == EXIT_BAD_INPUT &&
              strstr(message, "/nowhere/at/all cannot be written: No such file"),
          "a file in a missing folder is refused when it is begun: %s", message);
    snprintf(left, sizeof left, "%s.temporary", other);
    put(left, "longer than what is written", 27);
    a = file_begin(other);
    fputs("short", a.file);
    file_finish(&a);
    check(has(other, "short") && access(left, F_OK) != 0, "what a killed program left is replaced");
    unlink(other);
}

static void fail_with_controls(void)
{
    set_program_name("tester");
    fail(EXIT_DEADLOCK, "%s and\n%c%d", "one line", 127, 17);
}

static void fail_at_full_output(void)
{
    if (!freopen("/dev/full", "w", stdout))
        return;
    puts("text");
    finish_output();
}

/* Without a buffer it is puts() that fails. finish_output() then has nothing to flush, and must notice the
 * earlier failure. */
static void fail_before_the_end(void)
{
    if (!freopen("/dev/full", "w", stdout))
        return;
    setvbuf(stdout, NULL, _IONBF, 0);
    puts("text");
    finish_output();
}

static void print_and_finish(void)
{
    if (!freopen("/dev/null", "w", stdout))
        return;
    puts("text");
    finish_output();
    exit(EXIT_VERIFIED);
}

/* Ends with the status, for which the process may end without exit handlers, after it has printed a line that
 * is still in the buffer of its output, a file. */
static void print_and_fail_with(enum exit_status status)
{
    if (!freopen(one, "w", stdout))
        return;
    puts("a line");
    fail(status, "it cannot go on");
}

static void print_and_refuse(void)
{
    print_and_fail_with(EXIT_BAD_INPUT);
}

static void print_and_hang(void)
{
    print_and_fail_with(EXIT_DEADLOCK);
}

static void allocate_too_much(void)
{
    allocate((size_t)1 << 60);
}

static void reallocate_too_much(void)
{
    free(reallocate(allocate(1), (size_t)1 << 60));
}

static void check_failures(void)
{
    char message[MESSAGE_BYTES];
    check(status_of(fail_with_controls, message) == EXIT_DEADLOCK &&
              strcmp(message, "tester: one line and??17\n") == 0,
          "a failure is one line, with the program's name and no control characters");
    check(status_of(fail_at_full_output, message) == EXIT_BAD_INPUT &&
              strstr(message, "standard output cannot be written"),
          "output that is lost is a failure");
    check(status_of(fail_before_the_end, message) == EXIT_BAD_INPUT &&
              strstr(message, "standard output cannot be written"),
          "output that was lost before the last flush is one, too");
    check(status_of(print_and_finish, message) == EXIT_VERIFIED && !*message,
          "output that is written is none");
    check(status_of(print_and_refuse, message) == EXIT_BAD_INPUT && has(one, "a line\n"),
          "what was printed before a failure is in the output");
    check(status_of(print_and_hang, message) == EXIT_DEADLOCK && has(one, "a line\n"),
          "what was printed before a deadlock is, too");
    check(status_of(allocate_too_much, message) == EXIT_CANNOT &&
              strstr(message, "out of memory: 1.15e+12 MB"),
          "too much memory is a failure: %s", message);
    check(status_of(reallocate_too_much, message) == EXIT_CANNOT &&
              strstr(message, "out of memory: 1.15e+12 MB"),
          "too much more memory is a failure");
}

static bool is_zero(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

static void check_memory(void)
{
    bool zero = true, aligned = true;
    for (size_t bytes = 0; bytes < 300; bytes++) {
        char *plain = allocate(bytes), *line = allocate_aligned(bytes);
        zero &= is_zero(plain, bytes) && is_zero(line, bytes);
        aligned &= (uintptr_t)line % 64 == 0;
        memset(plain, 1, bytes);
        memset(line, 1, bytes);
        free(plain);
        free(line);
    }
    check(zero, "memory of every size to 300 bytes is zero");
    check(aligned, "aligned memory begins a cache line");
    int *items = NULL, moved = 0;
    for (int i = 0; i < 1000; i++) {
        int *now = with_room(items, sizeof *items, (size_t)i, 1);
        moved += now != items;
        items = now;
        items[i] = i;
    }
    check(items[0] == 0 && items[999] == 999 && moved <= 11, "an array grows by doubling: it moved %d times",
          moved);
    items = with_room(items, sizeof *items, 1000, 5000);
    items[5999] = 1;
    check(items[999] == 999, "many items at once have room");
    free(items);
    char *copy = copy_text("text");
    check(strcmp(copy, "text") == 0, "a text is copied");
    free(copy);
}

static atomic_int calls[1000], calls_in_all;

static void count_call(size_t number)
{
    calls[number]++;
    calls_in_all++;
}

static void check_parallel(void)
{
    bool once = true;
    static const size_t counts[] = {0, 1, 2, 63, 64, 65, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        memset(calls, 0, sizeof calls);
        calls_in_all = 0;
        parallel_for(counts[c], count_call);
        once &= calls_in_all == (int)counts[c];
        for (size_t i = 0; i < counts[c]; i++)
            once &= calls[i] == 1;
    }
    check(once, "work on all processors is done once for each number");
}

int main(void)
{
    if (!mkdtemp(folder))
        return EXIT_CANNOT;
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    check_reading();
    check_names();
    check_writing();
    check_failures();
    check_memory();
    check_parallel();
    unlink(one);
    check(chdir("/") == 0 && rmdir(folder) == 0, "nothing is left in the folder");
    return checks_done();
}
