/*
 * oracles/sort unsigned|int|float KEYS ANSWER checks whether the lines of the answer are the keys in the
 * ascending order that qsort gives them. Among floats, -0 comes before 0. NaNs come first if they are
 * negative, and otherwise last.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool floats;

static double *read_keys(const char *path, size_t *count)
{
    FILE *file = fopen(path, "r");
    double *keys = malloc(sizeof *keys << 20);
    char line[128];
    *count = 0;
    while (file && fgets(line, sizeof line, file))
        keys[(*count)++] = floats ? (double)strtof(line, NULL) : (double)strtoll(line, NULL, 10);
    if (file)
        fclose(file);
    return keys;
}

/* Returns -1 for a negative NaN, 1 for a positive NaN, and 0 otherwise. Keys are compared by this number
 * first: their order is -NaN, -infinity, ..., -0, 0, ..., infinity, NaN. */
static int rank(double x)
{
    return isnan(x) ? (signbit(x) ? -1 : 1) : 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (rank(x) || rank(y))
        return rank(x) - rank(y);
    if (x == y)
        return (signbit(y) != 0) - (signbit(x) != 0);
    return x < y ? -1 : 1;
}

int main(int argc, char **argv)
{
    size_t n, m;
    if (argc != 4)
        return 2;
    floats = strcmp(argv[1], "float") == 0;
    double *keys = read_keys(argv[2], &n), *answer = read_keys(argv[3], &m);
    if (!n || n != m)
        return printf("%zu keys for %zu\n", m, n), 1;
    qsort(keys, n, sizeof *keys, ascending);
    for (size_t i = 0; i < n; i++)
        if (ascending(&keys[i], &answer[i]) != 0)
            return printf("place %zu: %.9g for %.9g\n", i, answer[i], keys[i]), 1;
    printf("%zu keys\n", n);
    return 0;
}
