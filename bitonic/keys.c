#include "bitonic/keys.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SIGN 0x80000000u

uint32_t key_to_ordered(uint32_t bits, enum key_type type)
{
    if (type == KEY_UNSIGNED)
        return bits;
    if (type == KEY_FLOAT && bits & SIGN)
        return ~bits;
    return bits ^ SIGN;
}

uint32_t key_from_ordered(uint32_t ordered, enum key_type type)
{
    if (type == KEY_UNSIGNED)
        return ordered;
    if (type == KEY_FLOAT && !(ordered & SIGN))
        return ~ordered;
    return ordered ^ SIGN;
}

void bitonic_sequential(uint32_t *keys, size_t n)
{
    for (size_t length = 2; length <= n; length *= 2)
        for (size_t distance = length / 2; distance; distance /= 2)
            for (size_t start = 0; start < n; start += 2 * distance)
                for (size_t low = start; low < start + distance; low++) {
                    uint32_t a = keys[low], b = keys[low + distance];
                    bool swap = (a > b) == ((start & length) == 0);
                    keys[low] = swap ? b : a;
                    keys[low + distance] = swap ? a : b;
                }
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

void sort_pairs(uint64_t *pairs, size_t n)
{
    qsort(pairs, n, sizeof *pairs, compare_pairs);
}

static int compare_keys(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void sort_keys(uint32_t *keys, size_t n)
{
    qsort(keys, n, sizeof *keys, compare_keys);
}

uint32_t *generate_keys(size_t n, unsigned long long seed)
{
    struct random random = {seed};
    uint32_t *keys = allocate(n * sizeof *keys);
    for (size_t i = 0; keys && i < n; i++)
        keys[i] = (uint32_t)(random_next(&random) >> 32);
    return keys;
}

/* Sets *bits to the bits of the key that `text` denotes. Returns false if `text` is not a key of this
 * type. */
static bool parse_key(const char *text, enum key_type type, uint32_t *bits)
{
    float value;
    long long whole = 0;
    if (type == KEY_FLOAT) {
        bool good = parse_float(text, &value);
        memcpy(bits, &value, sizeof *bits);
        return good;
    }
    bool good = type == KEY_INT ? parse_whole(text, INT32_MIN, INT32_MAX, &whole)
                                : parse_whole(text, 0, UINT32_MAX, &whole);
    *bits = (uint32_t)whole;
    return good;
}

uint32_t *read_keys(const char *path, enum key_type type, long long *n)
{
    struct lines lines = lines_open(path);
    uint32_t *keys = NULL, bits;
    size_t count = 0;
    while (lines_next(&lines)) {
        if (!parse_key(lines.text, type, &bits))
            fail(EXIT_BAD_INPUT, "%s:%zu: not a key of the type that --keys names", path, lines.number);
        keys = with_room(keys, sizeof *keys, count, 1);
        keys[count++] = key_to_ordered(bits, type);
    }
    lines_close(&lines);
    *n = (long long)count;
    return keys;
}

static void print_key_and(FILE *file, uint32_t ordered, enum key_type type, char end)
{
    uint32_t bits = key_from_ordered(ordered, type);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (type == KEY_UNSIGNED)
        fprintf(file, "%" PRIu32 "%c", bits, end);
    else if (type == KEY_INT)
        fprintf(file, "%" PRId32 "%c", (int32_t)bits, end);
    else
        fprintf(file, "%.9g%c", (double)value, end);
}

void print_key(FILE *file, uint32_t ordered, enum key_type type)
{
    print_key_and(file, ordered, type, '\n');
}

void print_pair(FILE *file, uint64_t pair, enum key_type type)
{
    print_key_and(file, (uint32_t)(pair >> 32), type, '\t');
    fprintf(file, "%" PRIu32 "\n", (uint32_t)pair);
}
