/* Fuzzing: every parser of the suite reads arbitrary inputs, and returns or refuses each. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>

/* A parser under test, named like its corpus (tests/fuzz/corpus/NAME). `path` is a file with the `size` bytes
 * of `text`, which a zero follows. */
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

/* Keeps all that the target holds now after a refusal, too: what it reads once and keeps until the process
 * ends. */
void fuzz_keep_held(void);

#endif
