/* Fuzz tests: every parser of the suite gets arbitrary inputs, and must accept or refuse each of them. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>

/* A parser under test. `name` is also the folder of its inputs, tests/fuzz/corpus/NAME. read() gets an
 * input twice: as the file `path`, and as `size` bytes of `text` with a zero after them. */
struct fuzz_target {
    const char *name;
    void (*read)(const char *path, char *text, size_t size);
};
extern const struct fuzz_target fuzz_targets[];
extern const size_t fuzz_targets_count;

/*
 * Passes an input to the target. The target must return, or refuse the input: exit with a documented status
 * after one line on stderr. The process aborts if it does anything else. Memory and files that a refusal
 * leaves allocated are freed, so that a process can try millions of inputs. LeakSanitizer finds what a target
 * does not free before it returns.
 */
void fuzz_one(const struct fuzz_target *target, const unsigned char *data, size_t size);

/* Declares all memory and files that the target holds now as permanent, so that a later refusal does not free
 * them. Targets read such data once and keep them until the process ends. */
void fuzz_keep_held(void);

#endif
