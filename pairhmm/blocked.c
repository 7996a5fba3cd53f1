#include "pairhmm/blocked.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- which pairs ---- */

void blocked_ratio_table(float table[BLOCKED_RATIOS])
{
    for (int q = 0; q < BLOCKED_RATIOS; q++)
        table[q] = (float)pow(10, (BLOCKED_RATIO_1 - q) / 10.0);
}

/* The most by which an insertion quality may exceed the insertion quality of the read's first letter. The
 * least likelihood for which float is trusted is 10^10 times the least float of full precision. The bound
 * uses up five of these ten powers of ten, and leaves the other five for the different likelihoods of
 * paths. */
#define MOST_LEVELS 50

static struct {
    double phred[PHRED_LEVELS], ratios[BLOCKED_RATIOS];
    float single[BLOCKED_RATIOS]; /* the ratios of blocked_ratio_table(), in float as the kernel has them */
} tables;

static void make_tables(void)
{
    pairhmm_phred_table(tables.phred);
    blocked_ratio_table(tables.single);
    for (int q = 0; q < BLOCKED_RATIOS; q++)
        tables.ratios[q] = pow(10, (BLOCKED_RATIO_1 - q) / 10.0);
}

/* Returns the relative error of the factor by which the kernel multiplies at a match. The error is the same
 * in all cells of a row, so the errors add up if all rows have the same qualities. */
static double error_of_match(const struct read_letter *l, const struct read_letter *next)
{
    const float *single = tables.single + BLOCKED_RATIO_1;
    const double *phred = tables.phred;
    int levels = next->insertion - l->insertion;
    float factor = (1 - (single[l->insertion] + single[l->deletion])) * single[levels];
    double exact = (1 - phred[l->quality]) * (1 - (phred[l->insertion] + phred[l->deletion])) *
                   tables.ratios[BLOCKED_RATIO_1 + levels];
    return exact ? (double)((1 - single[l->quality]) * factor) / exact - 1 : 0;
}

bool blocked_can_do(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair, double tolerance)
{
    const struct read_letter *read = tasks->reads + pair->read_at;
    double sum = 0, operations = 5.0 * (pair->read_length + pair->haplotype_length);
    if (tables.phred[0] == 0)
        make_tables();
    for (int i = 0; i < pair->read_length; i++) {
        const struct read_letter *l = &read[i], *next = i + 1 < pair->read_length ? l + 1 : l;
        if (l->insertion - read[0].insertion > MOST_LEVELS)
            return false;
        sum += error_of_match(l, next);
    }
    return (fabs(sum) + 4 * sqrt(operations) * (FLT_EPSILON / 2)) / log(10) < tolerance;
}

/* ---- classes ---- */

bool blocked_class_of(struct blocked_item *item, unsigned least_lanes, unsigned most_rows)
{
    static const struct {
        unsigned lanes, least, most;
    } kernels[] = {{4, BLOCKED_LEAST_4, BLOCKED_MOST_4},
                   {8, BLOCKED_LEAST_8, BLOCKED_MOST_8},
                   {32, BLOCKED_LEAST_32, BLOCKED_MOST_32}};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        /* the number of rows leaves at least one padding row above the read's first row */
        unsigned lanes = kernels[k].lanes, rows = (unsigned)item->read_length / lanes + 1;
        rows = rows < kernels[k].least ? kernels[k].least : rows;
        bool all_own = BLOCKED_KEEPS_ALL(lanes, rows);
        if (lanes < least_lanes || rows > kernels[k].most || rows > most_rows || !(all_own || item->usual))
            continue;
        item->class_ = (struct blocked_class){(unsigned char)lanes, (unsigned char)rows};
        return true;
    }
    return false;
}

/* With at least this number of pairs for each multiprocessor, 4 lanes for each pair are fastest on an H200.
 * ENOUGH_FOR_8 is the corresponding number for 8 lanes. */
#define ENOUGH_FOR_4 90
#define ENOUGH_FOR_8 12

unsigned blocked_lanes_for(size_t pairs, int sm_count)
{
    size_t each = pairs / (size_t)sm_count;
    return each >= ENOUGH_FOR_4 ? 4 : each >= ENOUGH_FOR_8 ? 8 : 32;
}

/* ---- order ---- */

static int falling(int a, int b)
{
    return (b > a) - (b < a);
}

static int in_order(const void *first, const void *second)
{
    const struct blocked_item *a = first, *b = second;
    int by_rows = falling(a->class_.rows, b->class_.rows),
        by_lanes = falling(a->class_.lanes, b->class_.lanes),
        by_columns = falling(a->haplotype_length, b->haplotype_length);
    if (by_rows || by_lanes)
        return by_rows ? by_rows : by_lanes;
    return by_columns ? by_columns : (a->number > b->number) - (a->number < b->number);
}

void blocked_sort(struct blocked_item *items, size_t count)
{
    qsort(items, count, sizeof *items, in_order);
}

/* Returns the number of turns (of four columns each) until the last lane of the pair has filled its last
 * column. The lane of the last padding row, the row above the read's first, begins at once, and each lane
 * after it begins one column later than the lane above. */
static unsigned turns_of(const struct blocked_item *item)
{
    unsigned lanes = item->class_.lanes, rows = item->class_.rows;
    unsigned above = lanes * rows - (unsigned)item->read_length - 1;
    return ((unsigned)item->haplotype_length + lanes - 1 - above / rows + 3) / 4;
}

static bool same_class(const struct blocked_item *a, const struct blocked_item *b)
{
    return a->class_.lanes == b->class_.lanes && a->class_.rows == b->class_.rows;
}

size_t blocked_cut(const struct blocked_item *items, size_t count, unsigned first, struct blocked_warp *warps)
{
    struct blocked_warp *w = warps - 1;
    const struct blocked_item *start = NULL;
    for (const struct blocked_item *item = items; item < items + count; item++) {
        if (!start || !same_class(start, item) || w->count == 32 / item->class_.lanes) {
            start = item;
            *++w = (struct blocked_warp){first + (unsigned)(item - items), 0, item->class_, 0};
        }
        w->count++;
        w->turns = turns_of(item) > w->turns ? turns_of(item) : w->turns;
    }
    return (size_t)(w + 1 - warps);
}
