/*
 * Signals and transforms that are too large for the host: the signal is made and the transform is checked on
 * the device. Sequential FFTs of 2^28 values take minutes, so the transform X of the signal x is held against
 * what must be true of it, computed in double:
 *
 *     selected values   X(k) is the sum of x(n) exp(-2 pi i n k / N), for OUTPUTS_SELECTED drawn k
 *     every value       the sum of z^k X(k), where z = exp(2 pi i (j + 1/2) / N) and j is drawn, is the sum
 *                       of x(n) (1 + i cot(pi (j + 1/2 - n) / N)), a geometric series; all weights z^k have
 *                       modulus 1, so that one wrong value makes this sum wrong
 *     every value       the sum of |X(k)|^2 is N times the sum of |x(n)|^2 (Parseval)
 */
#ifndef FFT_ON_DEVICE_CUH
#define FFT_ON_DEVICE_CUH

#include "harness/on_device.cuh"

#include <math.h>

#define OUTPUTS_SELECTED 32 /* number of values that are computed as direct sums */

/* A complex number in double precision, and the energy of what was looked at. */
struct complex_sum {
    double re, im, energy;
    __device__ void add_product(float2 v, double wr, double wi)
    {
        re += v.x * wr - v.y * wi;
        im += v.x * wi + v.y * wr;
        energy += (double)v.x * v.x + (double)v.y * v.y;
    }
    void add(const complex_sum &other)
    {
        re += other.re;
        im += other.im;
        energy += other.energy;
    }
};

/* Sets *wr and *wi to the real and the imaginary part of exp(pi i halves). */
static __device__ __forceinline__ void turn_by(double halves, double *wr, double *wi)
{
    sincospi(halves, wi, wr);
}

/* Stores the random signal of generate_signal() (fft/reference.h). */
struct make_signal {
    typedef nothing found;
    float2 *to;
    unsigned long long seed;
    static __device__ float value_of(uint64_t bits)
    {
        return (float)(2 * ((double)(bits >> 11) * 0x1p-53) - 1);
    }
    __device__ void operator()(size_t i, nothing *) const
    {
        to[i] = make_float2(value_of(random_at(seed, 2 * i)), value_of(random_at(seed, 2 * i + 1)));
    }
};

/* Sums values[n] exp(sign pi i n step / 2^log_n), where i is the imaginary unit. So `step` is 2 k
 * in exp(sign 2 pi i n k / 2^log_n), because k need not be an integer: it may be j + 1/2. */
struct sum_of_turned {
    typedef complex_sum found;
    const float2 *values;
    unsigned long long step;
    int log_n, sign;
    __device__ void operator()(size_t i, complex_sum *sum) const
    {
        const unsigned long long turns = i * step & ((2ull << log_n) - 1);
        double wr, wi;
        turn_by((double)turns / (double)(1ull << log_n), &wr, &wi);
        sum->add_product(values[i], wr, sign * wi);
    }
};

/* Sums values[n] (1 + sign i cot(pi (j + 1/2 - n) / 2^log_n)), where i is the imaginary unit. */
struct sum_of_series {
    typedef complex_sum found;
    const float2 *values;
    unsigned long long j;
    int log_n, sign;
    __device__ void operator()(size_t n, complex_sum *sum) const
    {
        double c, s;
        turn_by(((double)j + 0.5 - (double)n) / (double)(1ull << log_n), &c, &s);
        sum->add_product(values[n], 1, sign * c / s);
    }
};

/* Returns how many of the checks of a transform of 2^log_n values fail, out of OUTPUTS_SELECTED + 2; which
 * values are selected follows from the seed. A value may differ by 1e-5 of the root mean square of all
 * values, and a sum of all values by as much times the square root of their number. */
static unsigned wrong_transforms(const float2 *input, const float2 *output, int log_n, bool inverse,
                                 unsigned long long seed)
{
    const size_t n = (size_t)1 << log_n;
    const double scale = inverse ? 1 / (double)n : 1;
    const int sign = inverse ? -1 : 1;
    const unsigned long long j = random_at(~seed, OUTPUTS_SELECTED) % n;
    const complex_sum of_outputs = look_at_all(sum_of_turned{output, 2 * j + 1, log_n, sign}, n),
                      of_inputs = look_at_all(sum_of_series{input, j, log_n, sign}, n);
    const double mean_square = scale * scale * of_inputs.energy, limit = 1e-5 * sqrt(mean_square);
    unsigned wrong = !(fabs(of_outputs.energy / (double)n - mean_square) <= 1e-5 * mean_square);
    wrong += !(hypot(of_outputs.re - scale * of_inputs.re, of_outputs.im - scale * of_inputs.im) <=
               limit * sqrt((double)n));
    for (unsigned i = 0; i < OUTPUTS_SELECTED; i++) {
        const size_t k = random_at(~seed, i) % n;
        const complex_sum direct = look_at_all(sum_of_turned{input, 2 * k, log_n, -sign}, n);
        float2 value;
        CHECK(cudaMemcpy(&value, output + k, sizeof value, cudaMemcpyDeviceToHost));
        wrong += !(hypot(value.x - scale * direct.re, value.y - scale * direct.im) <= limit);
    }
    return wrong;
}

#endif
