/* Fuzz tests: every parser of the suite gets arbitrary inputs, and must accept or refuse each of them. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>

/* A parser under test. `name` is also the folder of its inputs, tests/fuzz/corpus/NAME. read() gets an
 * input twice: as the file `path`, and as `size` bytes of `text` with a zero after them. */
struct fuzz_target {
    const char *name;
    void (*read)(const char *path, char *text, size_t size);
};
extern const struct fuzz_target fuzz_targets[];
extern const size_t fuzz_targets_count;

/* Passes an input to the target, which returns, or refuses the input: it then calls exit(). */
void fuzz_one(const struct fuzz_target *target, const unsigned char *data, size_t size);

/* Returns whether a refusal has a documented exit status, and whether what it said on stderr is one line.
 * --help succeeds without such a line. */
bool fuzz_is_refusal(int status, const char *said);

#endif
