/* A heated plate under Jacobi's iteration, on the host: what the kernels must come to. */
#ifndef MICRO_PLATE_H
#define MICRO_PLATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* side * side temperatures from 0 to 1, row by row, drawn from the seed. */
void plate_fill(float *plate, int side, unsigned long long seed);

/* So many steps: each cell but those of the edge becomes 0.25 * (left + right + above + below), the additions in this
 * order. `other` is room for as many cells; returns which of the two holds the result. */
float *plate_iterate(float *plate, float *other, int side, int steps);

#ifdef __cplusplus
}
#endif

#endif
