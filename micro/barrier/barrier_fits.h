/* The constants that Xiao and Feng 2010 and Feng and Xiao 2010 derive from times of barriers */
#ifndef MICRO_BARRIER_FITS_H
#define MICRO_BARRIER_FITS_H

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/*
 * Computes the constants from the points of micro-barrier that have as many threads and rounds as the first
 * point. Returns them with `threads`, this number of threads. All times are per barrier, as a function of the
 * number of blocks n:
 *
 * - computation: the time of the loop without barriers;
 * - equation_6: the lock-based time, a line whose slope is t_a (Xiao and Feng 2010, Equation 6);
 * - equation_7: the lock-free time, which should be constant (Equation 7);
 * - section_6: t_a, t_c, t_s and t_f, solved from the scenarios t1 to t5 (Feng and Xiao 2010, section VI);
 *   and t_f_leader, which is t_f if only one thread of a block executes the fence.
 *
 * Each is a line {slope, constant, r2, mean, points}, of which `mean` is the mean time and `points` the
 * number of points; or null if no point is left. As in the papers, only points with at most one block on each
 * multiprocessor count. Differences use only points at which the computation takes at most 1.1 times as long
 * as at its fastest point.
 */
struct cJSON *fit_barrier_times(const struct cJSON *points, int sm_count);

#ifdef __cplusplus
}
#endif

#endif
