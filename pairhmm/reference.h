/*
 * The forward algorithm of the pair hidden Markov model, sequentially and in double precision (Wang, Xie and
 * Cong 2017, Equation 6; GATK's conventions):
 *
 *     M(i,j) = prior (mm M(i-1,j-1) + gm (I(i-1,j-1) + D(i-1,j-1)))
 *     I(i,j) = ins M(i-1,j) + gcp I(i-1,j)
 *     D(i,j) = del M(i,j-1) + gcp D(i,j-1)
 *
 * with the probabilities of read position i: mm = 1 - (ins + del), gm = 1 - gcp, prior = 1 - e if the bases
 * are equal or one is N, else e / 3. In row 0, M = I = 0 and D = C / (length of the haplotype); in column 0
 * all are 0. The likelihood is the sum over the last row of M + I, divided by C.
 */
#ifndef PAIRHMM_REFERENCE_H
#define PAIRHMM_REFERENCE_H

#include "pairhmm/tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PHRED_LEVELS 94

/* Fills in the probability 10^(-quality/10) of every quality. */
void pairhmm_phred_table(double table[PHRED_LEVELS]);

/* Returns log10 of the likelihood of the pair's read, given its haplotype, or minus infinity if it is too low
 * for double. */
double pairhmm_sequential(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair);

/*
 * Returns a bound, hardly ever exceeded, of float's error in the log10 of the likelihood. The constants of a
 * read's rows are rounded; these errors are equal in every cell of a row, and are added up with their signs
 * along the path of matches. The rounding errors of the (read + haplotype) cells of a path, with about five
 * operations each, are bounded by 4 sqrt(operations) u as in Higham and Mary 2019, Theorem 2.4.
 */
double pairhmm_float_error(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair);

#ifdef __cplusplus
}
#endif

#endif
