#include "align/alignment.h"
#include "base/failure.h"
#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS_INFINITY (INT_MIN / 2)

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void fill_sequential(const struct sequence *a, const struct sequence *b, const struct scoring *scoring,
                     struct row_best *rows, unsigned char *directions)
{
    size_t m = a->length, n = b->length;
    int *h_above = allocate((n + 1) * sizeof *h_above), *f_above = allocate((n + 1) * sizeof *f_above);
    if (!h_above || !f_above)
        fail(EXIT_CANNOT, "out of memory");
    for (size_t j = 0; j <= n; j++)
        f_above[j] = MINUS_INFINITY;
    for (size_t i = 1; i <= m; i++) {
        const int *scores = scoring->score + a->codes[i - 1] * SCORING_LETTERS;
        int h_left = 0, e = MINUS_INFINITY, h_diagonal = 0;
        rows[i - 1] = (struct row_best){-1, 0};
        for (size_t j = 1; j <= n; j++) {
            int e_open = h_left - scoring->open, e_extend = e - scoring->extend;
            int f_open = h_above[j] - scoring->open, f_extend = f_above[j] - scoring->extend;
            int diagonal = h_diagonal + scores[b->codes[j - 1]];
            e = larger(e_open, e_extend);
            int f = larger(f_open, f_extend), h = larger(larger(0, diagonal), larger(e, f));
            int source = h == 0 ? FROM_NOTHING : h == diagonal ? FROM_DIAGONAL : h == e ? FROM_E : FROM_F;
            directions[direction_place(i, j, m)] =
                (unsigned char)(source | (e_extend > e_open ? E_EXTENDS : 0) |
                                (f_extend > f_open ? F_EXTENDS : 0));
            if (h > rows[i - 1].score)
                rows[i - 1] = (struct row_best){h, (int)j};
            h_diagonal = h_above[j];
            h_above[j] = h_left = h;
            f_above[j] = f;
        }
    }
    free(h_above);
    free(f_above);
}

/* Returns the CIGAR of the alignment that ends at cell (*i, *j), and sets *i and *j to the numbers of letters
 * of the two sequences that lie before the alignment. The caller frees the CIGAR. */
static char *trace_back(size_t *i, size_t *j, size_t rows, const unsigned char *directions)
{
    struct cigar cigar = {NULL, 0};
    int in = 0; /* FROM_E or FROM_F while the trace-back is within a gap, otherwise 0 */
    while (*i && *j) {
        unsigned char cell = directions[direction_place(*i, *j, rows)];
        int source = in ? in : cell & SOURCE;
        if (source == FROM_NOTHING)
            break;
        if (source == FROM_DIAGONAL) {
            cigar_prepend(&cigar, 'M', 1);
            --*i;
            --*j;
        } else if (source == FROM_E) {
            cigar_prepend(&cigar, 'D', 1);
            in = cell & E_EXTENDS ? FROM_E : 0;
            --*j;
        } else {
            cigar_prepend(&cigar, 'I', 1);
            in = cell & F_EXTENDS ? FROM_F : 0;
            --*i;
        }
    }
    return cigar_finish(&cigar);
}

void print_alignment(FILE *file, const struct sequence *a, const struct sequence *b,
                     const struct row_best *rows, const unsigned char *directions)
{
    size_t best = 0;
    for (size_t i = 1; i < a->length; i++)
        if (rows[i].score > rows[best].score)
            best = i;
    fprintf(file, "%s\t%s\t%d\t", a->name, b->name, rows[best].score);
    if (rows[best].score <= 0) {
        fputs("0\t0\t0\t0\t*\n", file);
        return;
    }
    size_t end_a = best + 1, end_b = (size_t)rows[best].column, i = end_a, j = end_b;
    char *cigar = trace_back(&i, &j, a->length, directions);
    fprintf(file, "%zu\t%zu\t%zu\t%zu\t%s\n", i + 1, end_a, j + 1, end_b, cigar);
    free(cigar);
}

void cigar_prepend(struct cigar *c, char letter, size_t length)
{
    if (!length)
        return;
    if (c->count && c->runs[c->count - 1].letter == letter) {
        c->runs[c->count - 1].length += length;
        return;
    }
    c->runs = with_room(c->runs, sizeof *c->runs, c->count, 1);
    c->runs[c->count++] = (struct cigar_run){letter, length};
}

char *cigar_finish(struct cigar *c)
{
    const size_t most = 22; /* room for the 20 digits of a 64-bit number, a letter and the terminating 0 */
    size_t bytes = c->count * most + 2;
    char *text = allocate(bytes), *end = text;
    if (!c->count)
        *end = '*';
    for (size_t k = c->count; k-- > 0;)
        end += snprintf(end, bytes - (size_t)(end - text), "%zu%c", c->runs[k].length, c->runs[k].letter);
    free(c->runs);
    *c = (struct cigar){NULL, 0};
    return text;
}
