/*
 * Tests inputs that are made on the device, and answers that are checked there because the host would take
 * too long (harness/on_device.cuh). At small sizes the inputs must equal the host's, the host's right answers
 * must be found right, and each of several planted mistakes must be found.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "bitonic/keys.h"
#include "bitonic/on_device.cuh"
#include "fft/on_device.cuh"
#include "fft/reference.h"
#include "harness/device.h"
#include "harness/memory.h"
#include "harness/options.h"
#include "sum/on_device.cuh"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { SEED = 7 };

/* ---- FFT ---- */

typedef void plant_function(float *values, size_t n);

static void add_to_one(float *values, size_t n)
{
    values[2 * (n / 3)] += 0.5f;
}
static void exchange_two(float *values, size_t)
{
    for (int part = 0; part < 2; part++) {
        float kept = values[2 * 5 + part];
        values[2 * 5 + part] = values[2 * 6 + part];
        values[2 * 6 + part] = kept;
    }
}
static void leave_one(float *values, size_t)
{
    memset(values + 2 * 9, 0xff, 2 * sizeof *values);
}
static void scale_all(float *values, size_t n)
{
    for (size_t i = 0; i < 2 * n; i++)
        values[i] *= 1.0001f;
}

/* Returns how many checks of the transform fail after the mistake was planted; NULL plants none. */
static unsigned wrong_after(plant_function *plant, const float2 *input, const float *right, int log_n,
                            bool inverse)
{
    const size_t n = (size_t)1 << log_n, bytes = n * sizeof(float2);
    float *values = (float *)memcpy(allocate(bytes), right, bytes);
    if (plant)
        plant(values, n);
    float2 *output = (float2 *)copy_on_device(values, bytes);
    unsigned wrong = wrong_transforms(input, output, log_n, inverse, SEED);
    CHECK(cudaFree(output));
    free(values);
    return wrong;
}

static void check_transforms(int log_n, bool inverse)
{
    static const struct {
        const char *what;
        plant_function *plant;
    } mistakes[] = {{"a value that is too large", add_to_one},
                    {"two values in each other's place", exchange_two},
                    {"a value that was not written", leave_one},
                    {"a wrong factor", scale_all}};
    const size_t n = (size_t)1 << log_n, bytes = n * sizeof(float2);
    float *signal = generate_signal(n, SEED), *twiddles = make_twiddles(n);
    float *expected = (float *)allocate(bytes), *made = (float *)allocate(bytes);
    float2 *input = (float2 *)device_memory(bytes);
    look_at_all(make_signal{input, SEED}, n);
    CHECK(cudaMemcpy(made, input, bytes, cudaMemcpyDeviceToHost));
    check(memcmp(made, signal, bytes) == 0, "a signal of 2^%d values is the same on host and device", log_n);
    fft_sequential(signal, expected, n, twiddles, inverse);
    unsigned wrong = wrong_after(NULL, input, expected, log_n, inverse);
    check(wrong == 0, "2^%d: the host's %stransform is right on the device (%u wrong)", log_n,
          inverse ? "inverse " : "", wrong);
    for (auto mistake : mistakes)
        check(wrong_after(mistake.plant, input, expected, log_n, inverse) > 0, "2^%d: %s is found", log_n,
              mistake.what);
    CHECK(cudaFree(input));
    free(signal);
    free(twiddles);
    free(expected);
    free(made);
}

/* ---- sorts ---- */

template <class Key>
static unsigned long long wrong_of(const Key *input, const Key *sorted, size_t n)
{
    Key *on_device = (Key *)copy_on_device(sorted, n * sizeof(Key));
    unsigned long long wrong = wrong_keys(input, (const Key *)on_device, n);
    CHECK(cudaFree(on_device));
    return wrong;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

template <class Key>
static void check_sorts(const char *what, size_t n)
{
    uint32_t *keys = generate_keys(n, SEED);
    Key *made = (Key *)allocate(n * sizeof(Key)), *input = (Key *)device_memory(n * sizeof(Key));
    uint64_t *right = (uint64_t *)allocate(n * sizeof *right);
    int others = 0;
    look_at_all(make_keys<Key>{input, SEED}, n);
    CHECK(cudaMemcpy(made, input, n * sizeof(Key), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        right[i] = sizeof(Key) == 8 ? (uint64_t)keys[i] << 32 | i : keys[i];
        others += made[i] != right[i];
    }
    check(others == 0, "%s are the same on host and device", what);
    check(wrong_of(input, made, n) > 0, "%s that are not sorted are found", what);
    qsort(right, n, sizeof *right, compare_pairs);
    for (size_t i = 0; i < n; i++)
        made[i] = (Key)right[i];
    check(wrong_of(input, made, n) == 0, "%s as qsort sorts them are right", what);
    const Key kept = made[n / 2];
    made[n / 2] = made[n / 2 + 1];
    check(wrong_of(input, made, n) > 0, "%s of which one is lost and one is there twice are found", what);
    made[n / 2 + 1] = kept;
    check(wrong_of(input, made, n) > 0, "%s of which two are in each other's place are found", what);
    made[n / 2] = kept;
    made[n - 1] = ~(Key)0;
    check(wrong_of(input, made, n) > 0, "%s of which the last was not written are found", what);
    CHECK(cudaFree(input));
    free(keys);
    free(made);
    free(right);
}

/* ---- sums ---- */

template <class T>
static unsigned long long wrong_of_sums(const sums_on_device &sums, const T *in, const T *out, size_t count,
                                        number_type type, bool is_prefix)
{
    T *on_device = (T *)copy_on_device(out, (is_prefix ? count : 1) * sizeof(T));
    unsigned long long wrong = check_on_device(sums, in, (const T *)on_device, count, type, is_prefix);
    CHECK(cudaFree(on_device));
    return wrong;
}

template <class T>
static void check_sums(const char *name, number_type type, size_t count)
{
    numbers drawn;
    T *in = (T *)device_memory(count * sizeof(T)), *made = (T *)allocate(count * sizeof(T));
    int others = 0;
    generate_numbers((unsigned)count, type, SEED, &drawn);
    look_at_all(make_numbers<T>{in, type, SEED}, count);
    CHECK(cudaMemcpy(made, in, count * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        others += made[i] != (is_real(type) ? (T)drawn.items[i].real : (T)drawn.items[i].whole);
    check(others == 0, "%s are the same on host and device", name);
    for (size_t i = 1; i < count; i++)
        made[i] += made[i - 1];
    sums_on_device sums = sum_on_device((const T *)in, count, type);
    check(wrong_of_sums(sums, in, made, count, type, true) == 0, "the host's prefix sums of %s are right",
          name);
    check(wrong_of_sums(sums, in, made + count - 1, count, type, false) == 0, "the host's sum of %s is right",
          name);
    made[count - 1] += 1;
    check(wrong_of_sums(sums, in, made + count - 1, count, type, false) == 1, "a wrong sum of %s is found",
          name);
    made[0] += 1;
    made[count / 2] += 1;
    check(wrong_of_sums(sums, in, made, count, type, true) == 3, "three wrong prefix sums of %s are counted",
          name);
    free_sums_on_device(&sums);
    CHECK(cudaFree(in));
    free(made);
    free(drawn.items);
}

int main()
{
    options options = {};
    device device;
    set_program_name("large_problems");
#ifdef GPUSYNC_MACHINE
    options.device = "h100";
#endif
    open_device(&options, &device);
    check_transforms(8, false);
    check_transforms(11, true);
    check_sorts<unsigned>("keys", 3000);
    check_sorts<unsigned long long>("pairs", 3000);
    check_sums<unsigned>("int32", INT32, 5000);
    check_sums<unsigned long long>("int64", INT64, 1025);
    check_sums<float>("floats", FLOAT, 5000);
    check_sums<double>("doubles", DOUBLE, 1024);
    return checks_done();
}
