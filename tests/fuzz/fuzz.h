/* Fuzzing: every parser of the suite reads anything, and ends in one of two ways. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>

/* A parser under test, by the name of its corpus (tests/fuzz/corpus/NAME). `path` is a file that holds the
 * `size` bytes of `text`, which have a zero behind them. */
struct fuzz_target {
    const char *name;
    void (*read)(const char *path, char *text, size_t size);
};
extern const struct fuzz_target fuzz_targets[];
extern const size_t fuzz_targets_count;

/*
 * Hands an input to the target. It must return, or refuse: exit with a documented status after one line on
 * stderr. Aborts where it does anything else. What a refusal leaves behind (memory, open files) is freed, so that
 * a process can try millions of inputs; what a target that returns leaves behind stays for LeakSanitizer.
 */
void fuzz_one(const struct fuzz_target *target, const unsigned char *data, size_t size);

#endif
