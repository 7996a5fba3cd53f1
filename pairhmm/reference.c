#include "pairhmm/reference.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define C 0x1p1020

void pairhmm_phred_table(double table[PHRED_LEVELS])
{
    for (int q = 0; q < PHRED_LEVELS; q++)
        table[q] = pow(10, -q / 10.0);
}

struct cell {
    double m, i, d;
};

/* Fills a row of the matrices from the row above it; both have columns 0..columns. */
static void fill_row(const struct read_letter *letter, const double *phred, const unsigned char *haplotype,
                     int columns, const struct cell *above, struct cell *row)
{
    double ins = phred[letter->insertion], del = phred[letter->deletion], gcp = phred[letter->continuation];
    double mm = 1 - (ins + del), gm = 1 - gcp, error = phred[letter->quality];
    row[0] = (struct cell){0, 0, 0};
    for (int j = 1; j <= columns; j++) {
        bool equal = letter->base == haplotype[j - 1] || letter->base == 'N' || haplotype[j - 1] == 'N';
        double prior = equal ? 1 - error : error / 3;
        row[j].m = prior * (mm * above[j - 1].m + gm * (above[j - 1].i + above[j - 1].d));
        row[j].i = ins * above[j].m + gcp * above[j].i;
        row[j].d = del * row[j - 1].m + gcp * row[j - 1].d;
    }
}

double pairhmm_sequential(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair)
{
    double phred[PHRED_LEVELS], sum = 0;
    int columns = pair->haplotype_length;
    struct cell *rows[2];
    pairhmm_phred_table(phred);
    for (int k = 0; k < 2; k++)
        rows[k] = allocate((size_t)(columns + 1) * sizeof **rows);
    for (int j = 0; j <= columns; j++)
        rows[0][j] = (struct cell){0, 0, C / columns};
    for (int i = 1; i <= pair->read_length; i++)
        fill_row(&tasks->reads[pair->read_at + (unsigned)i - 1], phred,
                 tasks->haplotypes + pair->haplotype_at, columns, rows[(i - 1) % 2], rows[i % 2]);
    for (int j = 1; j <= columns; j++)
        sum += rows[pair->read_length % 2][j].m + rows[pair->read_length % 2][j].i;
    free(rows[0]);
    free(rows[1]);
    /* -INFINITY means that the likelihood is too low even for double */
    return sum > 0 ? log10(sum) - log10(C) : -INFINITY;
}

/* Returns log10 of a factor as rounded to float, divided by the exact factor. */
static double rounded(float single, double exact)
{
    return (double)single * exact > 0 ? log10((double)single / exact) : 0;
}

double pairhmm_float_error(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair)
{
    double phred[PHRED_LEVELS], sum = 0;
    pairhmm_phred_table(phred);
    for (int i = 0; i < pair->read_length; i++) {
        const struct read_letter *l = &tasks->reads[pair->read_at + (unsigned)i];
        float error = (float)phred[l->quality], gaps = (float)phred[l->insertion] + (float)phred[l->deletion];
        sum += rounded(1 - error, 1 - phred[l->quality]) +
               rounded(1 - gaps, 1 - (phred[l->insertion] + phred[l->deletion]));
    }
    double operations = 5.0 * (pair->read_length + pair->haplotype_length);
    return fabs(sum) + 4 * sqrt(operations) * (FLT_EPSILON / 2) / log(10);
}
