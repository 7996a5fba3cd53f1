/* A heated plate under Jacobi's iteration, on the host: the reference for the kernels */
#ifndef MICRO_PLATE_H
#define MICRO_PLATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Fills in side * side temperatures from 0 to 1, row by row, drawn from the seed. */
void plate_fill(float *plate, int side, unsigned long long seed);

/* Executes this number of steps: each cell that is not at the edge becomes 0.25 * (left + right + above +
 * below), with the additions in this order. `other` has room for the same number of cells. Returns the plate
 * with the result, `plate` or `other`. */
float *plate_iterate(float *plate, float *other, int side, int steps);

#ifdef __cplusplus
}
#endif

#endif
