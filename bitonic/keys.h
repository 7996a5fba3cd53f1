/* Keys of 32 bits, their sorting order, and the sequential bitonic sort. */
#ifndef BITONIC_KEYS_H
#define BITONIC_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of --keys. */
enum key_type { KEY_UNSIGNED, KEY_INT, KEY_FLOAT };

/*
 * A key's bits as an unsigned number with the same order as the keys; and the inverse. For floats the order
 * is total: by sign and magnitude, so -NaN < -infinity < ... < -0 < 0 < ... < infinity < NaN.
 */
uint32_t key_to_ordered(uint32_t bits, enum key_type type);
uint32_t key_from_ordered(uint32_t ordered, enum key_type type);

/* The network of Batcher 1968 on one thread; n is a power of two. */
void bitonic_sequential(uint32_t *keys, size_t n);

/* Sorts keys, or pairs of a key and, in the lower 32 bits, a value, ascending by key and then value, with the
 * C library's qsort. */
void sort_keys(uint32_t *keys, size_t n);
void sort_pairs(uint64_t *pairs, size_t n);

/* n random numbers, to be freed by the caller. */
uint32_t *generate_keys(size_t n, unsigned long long seed);

/* Reads a key from each line, in unsigned order. Exits with EXIT_BAD_INPUT, naming file and line. The caller
 * frees the keys. */
uint32_t *read_keys(const char *path, enum key_type type, long long *n);

/* Prints an ordered key in its own type, and a line end. */
void print_key(FILE *file, uint32_t ordered, enum key_type type);

/* Prints a pair likewise: key, tab, value. */
void print_pair(FILE *file, uint64_t pair, enum key_type type);

#ifdef __cplusplus
}
#endif

#endif
