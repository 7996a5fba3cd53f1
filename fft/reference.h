/* The sequential FFT, and signals. Complex values are pairs of floats: re, im, re, im, ... */
#ifndef FFT_REFERENCE_H
#define FFT_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* exp(-2 pi i k / n) for k < n / 2, computed in double. Free them. */
float *make_twiddles(size_t n);

/*
 * The discrete Fourier transform of n values, n a power of two, by the radix-2 algorithm (Xiao and
 * Feng 2010, section VI-A): forward with exp(-2 pi i / n) and no factor, inverse with exp(+2 pi i /
 * n) and 1/n. One thread.
 */
void fft_sequential(const float *input, float *output, size_t n, const float *twiddles, bool inverse);

/* ||a - b|| / ||b|| over n complex values; NaN if a has a NaN. */
double relative_distance(const float *a, const float *b, size_t n);

/* n values with both parts uniform in [-1, 1). Free them. */
float *generate_signal(size_t n, unsigned long long seed);

/* Reads lines of "re im". Exits with EXIT_BAD_INPUT, naming file and line, for any other line. The caller
 * frees the values. */
float *read_signal(const char *path, long long *n);

#ifdef __cplusplus
}
#endif

#endif
