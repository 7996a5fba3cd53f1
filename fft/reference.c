#include "fft/reference.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void bit_reverse(const float *input, float *output, size_t n)
{
    for (size_t i = 0, j = 0; i < n; i++) {
        output[2 * j] = input[2 * i];
        output[2 * j + 1] = input[2 * i + 1];
        size_t bit = n / 2;
        for (; bit && (j & bit); bit /= 2)
            j ^= bit;
        j |= bit;
    }
}

static void butterfly(float *a, float *b, float wr, float wi)
{
    float re = b[0] * wr - b[1] * wi, im = b[0] * wi + b[1] * wr;
    b[0] = a[0] - re;
    b[1] = a[1] - im;
    a[0] += re;
    a[1] += im;
}

float *make_twiddles(size_t n)
{
    float *twiddles = allocate(n * sizeof *twiddles);
    for (size_t k = 0; k < n / 2; k++) {
        double angle = -2 * M_PI * (double)k / (double)n;
        twiddles[2 * k] = (float)cos(angle);
        twiddles[2 * k + 1] = (float)sin(angle);
    }
    return twiddles;
}

void fft_sequential(const float *input, float *output, size_t n, const float *twiddles, bool inverse)
{
    float sign = inverse ? -1.0f : 1.0f;
    bit_reverse(input, output, n);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                const float *w = twiddles + 2 * (k * (n / 2 / half));
                butterfly(output + 2 * (start + k), output + 2 * (start + k + half), w[0], sign * w[1]);
            }
    for (size_t i = 0; inverse && i < 2 * n; i++)
        output[i] /= (float)n;
}

double relative_distance(const float *a, const float *b, size_t n)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        norm += (double)b[i] * b[i];
    }
    return norm > 0 ? sqrt(difference / norm) : sqrt(difference);
}

float *generate_signal(size_t n, unsigned long long seed)
{
    float *signal = allocate(2 * n * sizeof *signal);
    struct random random = {seed};
    for (size_t i = 0; i < 2 * n; i++)
        signal[i] = (float)(2 * random_unit(&random) - 1);
    return signal;
}

static bool parse_value(char *text, float *re, float *im)
{
    const char *first = strtok(text, " \t"), *second = strtok(NULL, " \t");
    return second && !strtok(NULL, " \t") && parse_float(first, re) && parse_float(second, im) &&
           isfinite(*re) && isfinite(*im);
}

float *read_signal(const char *path, long long *n)
{
    struct lines lines = lines_open(path);
    float *signal = NULL, re, im;
    size_t count = 0;
    while (lines_next(&lines)) {
        if (!parse_value(lines.text, &re, &im))
            fail(EXIT_BAD_INPUT, "%s:%zu: not two numbers, the real and the imaginary part", path,
                 lines.number);
        signal = with_room(signal, sizeof *signal, 2 * count, 2);
        signal[2 * count] = re;
        signal[2 * count++ + 1] = im;
    }
    lines_close(&lines);
    *n = (long long)count;
    return signal;
}
