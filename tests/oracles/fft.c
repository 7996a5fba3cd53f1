/*
 * oracles/fft forward|inverse SIGNAL ANSWER compares the answer with the transform of the signal by FFTW in
 * double precision; the relative error (L2) may be at most 1e-6 log2 N. Both files have lines of "re im". The
 * inverse transform has the factor 1/N. oracles/fft same A B compares two signals with the same bound for the
 * error.
 */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fftw_complex *read_values(const char *path, size_t *count)
{
    FILE *file = fopen(path, "r");
    fftw_complex *values = fftw_malloc(sizeof *values << 22);
    *count = 0;
    while (file && fscanf(file, "%lf %lf", &values[*count][0], &values[*count][1]) == 2)
        ++*count;
    if (file)
        fclose(file);
    return values;
}

int main(int argc, char **argv)
{
    size_t n, m;
    if (argc != 4)
        return 2;
    fftw_complex *signal = read_values(argv[2], &n), *answer = read_values(argv[3], &m);
    fftw_complex *expected = fftw_malloc(sizeof *expected * (n + 1));
    if (!n || n != m)
        return printf("%zu values for %zu\n", m, n), 1;
    memcpy(expected, signal, sizeof *expected * n);
    if (strcmp(argv[1], "same") != 0) {
        int sign = strcmp(argv[1], "inverse") == 0 ? FFTW_BACKWARD : FFTW_FORWARD;
        fftw_execute(fftw_plan_dft_1d((int)n, signal, expected, sign, FFTW_ESTIMATE));
        for (size_t i = 0; sign == FFTW_BACKWARD && i < n; i++) {
            expected[i][0] /= (double)n;
            expected[i][1] /= (double)n;
        }
    }
    double difference = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        difference += pow(answer[i][0] - expected[i][0], 2) + pow(answer[i][1] - expected[i][1], 2);
        norm += pow(expected[i][0], 2) + pow(expected[i][1], 2);
    }
    double error = sqrt(difference / norm), limit = 1e-6 * fmax(1, log2((double)n));
    printf("N = %zu, relative L2 error %.3g, limit %.3g\n", n, error, limit);
    return !(error < limit);
}
