/* What the two papers conclude from the micro-benchmark's times. */
#ifndef MICRO_BARRIER_FITS_H
#define MICRO_BARRIER_FITS_H

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/*
 * Computed from the points of micro-barrier; all times are per barrier and against the number of blocks n:
 * - equation_6: lock-based, a line; its slope is t_a (Xiao and Feng 2010, Equation 6);
 * - equation_7: lock-free, which should be a constant (Equation 7);
 * - section_6: t_a, t_c, t_s and t_f, solved from the scenarios t1 to t5 (Feng and Xiao 2010, section VI).
 *
 * Each has the form {slope, constant, r2, mean}. As in the papers, only points with at most one block a
 * multiprocessor count; differences use only points at which the computation takes at most a tenth longer
 * than at its fastest.
 */
struct cJSON *fit_barrier_times(const struct cJSON *points, int sm_count);

#ifdef __cplusplus
}
#endif

#endif
