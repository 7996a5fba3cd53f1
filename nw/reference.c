#include "nw/reference.h"
#include "align/alignment.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct sequence random_codes(const char *name, size_t n)
{
    struct sequence s = {.name = strcpy(allocate(strlen(name) + 1), name), .codes = allocate(n), .length = n};
    for (size_t i = 0; i < n; i++)
        s.codes[i] = (unsigned char)(rand() % 10 + 1);
    return s;
}

void nw_rodinia_sequences(size_t n, struct sequences *out)
{
    srand(7);
    *out = (struct sequences){allocate(2 * sizeof *out->items), 2};
    out->items[0] = random_codes("rows", n);
    out->items[1] = random_codes("columns", n);
}

static struct nw_problem *making;

static void make_row(size_t i)
{
    const struct sequence *a = &making->pair.items[0], *b = &making->pair.items[1];
    const int *scores = making->scoring.score + a->codes[i] * SCORING_LETTERS;
    int *row = making->field + i * making->n;
    for (size_t j = 0; j < making->n; j++)
        row[j] = scores[b->codes[j]];
}

void nw_make_field(struct nw_problem *problem)
{
    const struct sequence *a = &problem->pair.items[0], *b = &problem->pair.items[1];
    problem->m = a->length;
    problem->n = b->length;
    problem->field = allocate(problem->m * problem->n * sizeof *problem->field);
    making = problem;
    parallel_for(problem->m, make_row);
}

void nw_free(struct nw_problem *problem)
{
    free_sequences(&problem->pair);
    free(problem->field);
    problem->field = NULL;
}

void nw_fill_boundary(const struct nw_problem *problem, int *s)
{
    for (size_t j = 0; j <= problem->n; j++)
        s[j] = -(int)j * problem->penalty;
    for (size_t i = 1; i <= problem->m; i++)
        s[i * (problem->n + 1)] = -(int)i * problem->penalty;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void nw_fill_sequential(const struct nw_problem *problem, int *s)
{
    size_t n = problem->n;
    int k = problem->penalty;
    nw_fill_boundary(problem, s);
    for (size_t i = 1; i <= problem->m; i++) {
        const int *north = s + (i - 1) * (n + 1), *field = problem->field + (i - 1) * n;
        int *row = s + i * (n + 1), west = row[0];
        for (size_t j = 1; j <= n; j++)
            row[j] = west = larger(north[j - 1] + field[j - 1], larger(west, north[j]) - k);
    }
}

/* The offset basis of the hash in the known answers: the standard one, 14695981039346656037, without its last
 * digit. */
#define OFFSET_BASIS UINT64_C(1469598103934665603)

static uint64_t fingerprint(const struct nw_problem *problem, const int *s, int64_t *sum)
{
    uint64_t hash = OFFSET_BASIS;
    *sum = 0;
    for (size_t i = 1; i <= problem->m; i++)
        for (size_t j = 1; j <= problem->n; j++) {
            uint32_t cell = (uint32_t)s[i * (problem->n + 1) + j];
            *sum += (int32_t)cell;
            for (int byte = 0; byte < 4; byte++)
                hash = (hash ^ (cell >> (8 * byte) & 0xff)) * UINT64_C(0x100000001b3);
        }
    return hash;
}

static char operation_at(const struct nw_problem *problem, const int *s, size_t i, size_t j)
{
    size_t n = problem->n;
    const int *cell = s + i * (n + 1) + j;
    if (i && j && *cell == cell[-(ptrdiff_t)n - 2] + problem->field[(i - 1) * n + j - 1])
        return 'M';
    return i && (!j || *cell == cell[-(ptrdiff_t)n - 1] - problem->penalty) ? 'I' : 'D';
}

static char *trace_back(const struct nw_problem *problem, const int *s)
{
    size_t i = problem->m, j = problem->n;
    struct cigar cigar = {NULL, 0};
    while (i || j) {
        char operation = operation_at(problem, s, i, j);
        cigar_prepend(&cigar, operation, 1);
        i -= operation != 'D';
        j -= operation != 'I';
    }
    return cigar_finish(&cigar);
}

void nw_print_alignment(FILE *file, const struct nw_problem *problem, const int *s)
{
    int64_t sum;
    uint64_t hash = fingerprint(problem, s, &sum);
    char *cigar = trace_back(problem, s);
    fprintf(file, "%s\t%s\t%d\t%016" PRIx64 "\t%" PRId64 "\t%s\n", problem->pair.items[0].name,
            problem->pair.items[1].name, s[(problem->m + 1) * (problem->n + 1) - 1], hash, sum, cigar);
    free(cigar);
}

static struct {
    const int *s, *expected;
    const size_t *columns;
    size_t pitch;
    atomic_ullong wrong;
} comparison;

static void compare_row(size_t number)
{
    size_t first = (number + 1) * comparison.pitch + 1;
    unsigned long long wrong = 0;
    for (size_t at = first; at < first + comparison.columns[number]; at++)
        wrong += comparison.s[at] != comparison.expected[at];
    atomic_fetch_add(&comparison.wrong, wrong);
}

unsigned long long nw_count_wrong(const struct nw_problem *problem, const int *s, const int *expected,
                                  const size_t *columns)
{
    comparison.s = s;
    comparison.expected = expected;
    comparison.columns = columns;
    comparison.pitch = problem->n + 1;
    atomic_store(&comparison.wrong, 0);
    parallel_for(problem->m, compare_row);
    return atomic_load(&comparison.wrong);
}
