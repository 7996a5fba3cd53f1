/* The sequential FFT, and signals. Complex values are pairs of floats: re, im, re, im, ... */
#ifndef FFT_REFERENCE_H
#define FFT_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the twiddles exp(-2 pi i k / n) for k < n / 2, computed in double. The caller frees them. */
float *make_twiddles(size_t n);

/*
 * Computes the discrete Fourier transform of n values, n a power of two, by the radix-2 algorithm (Xiao and
 * Feng 2010, section VI-A) with one thread. The forward transform has exp(-2 pi i / n) and no factor; the
 * inverse one has exp(+2 pi i / n) and the factor 1/n. `twiddles` comes from make_twiddles(n).
 */
void fft_sequential(const float *input, float *output, size_t n, const float *twiddles, bool inverse);

/* Returns ||a - b|| / ||b|| over n complex values, or NaN if a has a NaN. */
double relative_distance(const float *a, const float *b, size_t n);

/* Returns n random complex values with real and imaginary parts uniform in [-1, 1). The caller frees them. */
float *generate_signal(size_t n, unsigned long long seed);

/* Reads one complex value from each line "re im" and sets *n to their number. Exits with EXIT_BAD_INPUT,
 * naming file and line, for any other line. The caller frees the values. */
float *read_signal(const char *path, long long *n);

#ifdef __cplusplus
}
#endif

#endif
