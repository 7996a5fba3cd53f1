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

/* The types of keys, in the order of the choices of --keys. */
enum key_type { KEY_UNSIGNED, KEY_INT, KEY_FLOAT };

/* key_to_ordered() converts a key's bits to an unsigned number with the same order as the keys, and
 * key_from_ordered() converts it back. The order of floats is total: by sign and magnitude, so -NaN <
 * -infinity < ... < -0 < 0 < ... < infinity < NaN. */
uint32_t key_to_ordered(uint32_t bits, enum key_type type);
uint32_t key_from_ordered(uint32_t ordered, enum key_type type);

/* Sorts n keys by the network of Batcher 1968 on one thread; n is a power of two. */
void bitonic_sequential(uint32_t *keys, size_t n);

/* sort_keys() and sort_pairs() sort n keys or pairs ascending with the C library's qsort. A pair is a key
 * and, in the lower 32 bits, a value; pairs are sorted by key and then by value. */
void sort_keys(uint32_t *keys, size_t n);
void sort_pairs(uint64_t *pairs, size_t n);

/* Returns n random keys that follow from the seed. The caller frees them. */
uint32_t *generate_keys(size_t n, unsigned long long seed);

/* Reads one key from each line and sets *n to their number. Returns the keys as key_to_ordered() converts
 * them; the caller frees them. Exits with EXIT_BAD_INPUT, naming file and line, if a line is not a key of the
 * type. */
uint32_t *read_keys(const char *path, enum key_type type, long long *n);

/* Prints a key and a line end. `ordered` is the key as key_to_ordered() converts it; it is printed as its own
 * type. */
void print_key(FILE *file, uint32_t ordered, enum key_type type);

/* Prints a pair: the key in its own type, a tab, the value, and a line end. */
void print_pair(FILE *file, uint64_t pair, enum key_type type);

#ifdef __cplusplus
}
#endif

#endif
