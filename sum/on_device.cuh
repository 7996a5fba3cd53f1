/*
 * Numbers that are too many for the host: they are made on the device, and their sum or each of their prefix
 * sums is checked there. The check is done as in sum/answers.cuh, with smaller chunks: first the sum of each
 * chunk, then the sums before each chunk, which the host adds up, and then each prefix sum of a chunk.
 */
#ifndef SUM_ON_DEVICE_CUH
#define SUM_ON_DEVICE_CUH

#include "harness/on_device.cuh"
#include "sum/running_sum.cuh"

#define CHUNK_OF_THREAD 1024 /* how many numbers one thread of the device sums or checks */

/* Stores the random numbers of generate_numbers() (sum/numbers.h). */
template <class T>
struct make_numbers {
    typedef nothing found;
    T *to;
    number_type type;
    unsigned long long seed;
    __device__ void operator()(size_t i, nothing *) const
    {
        const uint64_t bits = random_at(seed, i);
        to[i] = is_real(type) ? (T)real_number(bits, type) : (T)bits;
    }
};

template <class T>
static __host__ __device__ __forceinline__ number as_number(T value, number_type type)
{
    return {is_real(type) ? 0 : (uint64_t)value, (double)value};
}

/* Stores the sum of each chunk in the element after the chunk's own. */
template <class T>
struct sum_chunks {
    typedef nothing found;
    const T *in;
    size_t count;
    running_sum *up_to;
    number_type type;
    __device__ void operator()(size_t chunk, nothing *) const
    {
        running_sum sum = {};
        for (size_t i = chunk * CHUNK_OF_THREAD; i < (chunk + 1) * CHUNK_OF_THREAD && i < count; i++)
            add(&sum, as_number(in[i], type));
        up_to[chunk + 1] = sum;
    }
};

struct wrong_sums {
    unsigned long long wrong;
    void add(const wrong_sums &other) { wrong += other.wrong; }
};

/* Counts the prefix sums of each chunk that are wrong. */
template <class T>
struct check_chunks {
    typedef wrong_sums found;
    const T *in, *out;
    size_t count;
    const running_sum *up_to;
    number_type type;
    __device__ void operator()(size_t chunk, wrong_sums *all) const
    {
        running_sum now = up_to[chunk];
        for (size_t i = chunk * CHUNK_OF_THREAD; i < (chunk + 1) * CHUNK_OF_THREAD && i < count; i++) {
            add(&now, as_number(in[i], type));
            const number is = as_number(out[i], type);
            all->wrong += !is_right(type, &is, &now.sum, now.magnitude, i + 1);
        }
    }
};

/* The sums before each chunk of the input on the device, and the total after the last chunk. */
struct sums_on_device {
    running_sum *up_to, total;
    size_t chunks;
};

/* Computes the sums with which check_on_device() compares. free_sums_on_device() frees them. */
template <class T>
static sums_on_device sum_on_device(const T *in, size_t count, number_type type)
{
    sums_on_device sums = {};
    sums.chunks = (count + CHUNK_OF_THREAD - 1) / CHUNK_OF_THREAD;
    const size_t bytes = (sums.chunks + 1) * sizeof(running_sum);
    running_sum *on_host = (running_sum *)allocate(bytes);
    allocate_on_device(sums.up_to, bytes);
    look_at_all(sum_chunks<T>{in, count, sums.up_to, type}, sums.chunks);
    CHECK(cudaMemcpy(on_host, sums.up_to, bytes, cudaMemcpyDeviceToHost));
    on_host[0] = {};
    for (size_t c = 1; c <= sums.chunks; c++)
        add_sum(&on_host[c], on_host[c - 1]);
    CHECK(cudaMemcpy(sums.up_to, on_host, bytes, cudaMemcpyHostToDevice));
    sums.total = on_host[sums.chunks];
    free(on_host);
    return sums;
}

/* Returns the number of wrong prefix sums at `out`; with `is_prefix` false, returns 1 if the single sum at
 * `out` is wrong. */
template <class T>
static unsigned long long check_on_device(const sums_on_device &sums, const T *in, const T *out, size_t count,
                                          number_type type, bool is_prefix)
{
    if (is_prefix)
        return look_at_all(check_chunks<T>{in, out, count, sums.up_to, type}, sums.chunks).wrong;
    T sum;
    CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    const number is = as_number(sum, type);
    return !is_right(type, &is, &sums.total.sum, sums.total.magnitude, count);
}

static void free_sums_on_device(sums_on_device *sums)
{
    CHECK(cudaFree(sums->up_to));
    *sums = {};
}

#endif
