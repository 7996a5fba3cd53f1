// CUB's and Thrust's algorithms, and cuRAND's generators, against the host's answers.
#include "judge.cuh"

#include <algorithm>
#include <cub/cub.cuh>
#include <curand_kernel.h>
#include <numeric>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <vector>

// Calls f with temporary memory as CUB asks for it.
template <class F>
static void with_memory(F f)
{
    void *memory = nullptr;
    size_t bytes = 0;
    CHECK(f(memory, bytes));
    CHECK(cudaMalloc(&memory, bytes));
    CHECK(f(memory, bytes));
    CHECK(cudaDeviceSynchronize());
    cudaFree(memory);
}

__global__ void blocks(const int *in, int *out, unsigned *sorted, int *bins)
{
    typedef cub::BlockScan<int, 128> scan;
    typedef cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_RAKING> reduce;
    typedef cub::BlockRadixSort<unsigned, 128, 4> sort;
    typedef cub::BlockHistogram<unsigned char, 128, 4, 16> histogram;
    typedef cub::BlockExchange<int, 128, 4> exchange;
    typedef cub::WarpReduce<int> warp;
    __shared__ union {
        scan::TempStorage scan;
        reduce::TempStorage reduce;
        sort::TempStorage sort;
        histogram::TempStorage histogram;
        exchange::TempStorage exchange;
        warp::TempStorage warp[4];
    } memory;
    __shared__ int counts[16];
    int t = (int)threadIdx.x, x = in[t], sum, total, exclusive, items[4];
    scan(memory.scan).ExclusiveSum(x, exclusive, total);
    __syncthreads();
    sum = reduce(memory.reduce).Reduce(x, cuda::maximum<int>());
    __syncthreads();
    int of_warp = warp(memory.warp[t / 32]).Sum(x);
    __syncthreads();
    out[4 * t] = exclusive;
    out[4 * t + 1] = total;
    out[4 * t + 2] = t == 0 ? sum : 0;
    out[4 * t + 3] = t % 32 == 0 ? of_warp : 0;
    unsigned keys[4];
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++)
        keys[i] = (unsigned)in[4 * t + i] * 2654435761u, bytes[i] = (unsigned char)(in[4 * t + i] % 16),
        items[i] = 4 * t + i;
    sort(memory.sort).Sort(keys);
    __syncthreads();
    histogram(memory.histogram).Histogram(bytes, counts);
    __syncthreads();
    exchange(memory.exchange).BlockedToStriped(items);
    for (int i = 0; i < 4; i++)
        sorted[4 * t + i] = keys[i];
    if (t < 16)
        bins[t] = counts[t];
    bins[16 + t] = items[3];
}

__global__ void random_numbers(float *uniform, unsigned *raw)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState xorwow;
    curandStatePhilox4_32_10_t philox;
    curand_init(1234, t, 0, &xorwow);
    curand_init(1234, t, 5, &philox);
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += curand_uniform(&xorwow) + curand_normal(&philox);
    uniform[t] = sum;
    raw[t] = curand(&philox);
}

struct odd {
    __device__ bool operator()(int x) const { return x & 1; }
};

int main()
{
    const int n = 5000;
    int *in = managed<int>(n), *out = managed<int>(n), *counts = managed<int>(n), *count = managed<int>(1);
    unsigned *keys = managed<unsigned>(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 7919 % 1013 / 2;

    blocks<<<1, 128>>>(in, out, keys, counts);
    CHECK(cudaDeviceSynchronize());
    bool same = true;
    std::vector<unsigned> sorted(512);
    std::vector<int> bins(16);
    for (int i = 0; i < 512; i++)
        sorted[i] = (unsigned)in[i] * 2654435761u, bins[in[i] % 16]++;
    std::sort(sorted.begin(), sorted.end());
    int sum = 0, all = std::accumulate(in, in + 128, 0);
    for (int t = 0; t < 128; sum += in[t++])
        same = same && out[4 * t] == sum && out[4 * t + 1] == all &&
               out[4 * t + 3] == (t % 32 ? 0 : std::accumulate(in + t, in + t + 32, 0)) &&
               counts[16 + t] == 384 + t;
    need(same && out[2] == *std::max_element(in, in + 128), "reductions and scans of blocks");
    need(std::equal(sorted.begin(), sorted.end(), keys), "sorting within a block");
    need(std::equal(bins.begin(), bins.end(), counts), "the histogram of a block");

    with_memory([&](void *m, size_t &b) { return cub::DeviceReduce::Sum(m, b, in, count, n); });
    need(*count == std::accumulate(in, in + n, 0), "DeviceReduce");
    with_memory([&](void *m, size_t &b) { return cub::DeviceScan::InclusiveSum(m, b, in, out, n); });
    std::vector<int> expected(n);
    std::partial_sum(in, in + n, expected.begin());
    need(std::equal(expected.begin(), expected.end(), out), "DeviceScan");
    with_memory([&](void *m, size_t &b) { return cub::DeviceSelect::If(m, b, in, out, count, n, odd()); });
    expected.resize(
        (size_t)(std::copy_if(in, in + n, expected.begin(), [](int x) { return x & 1; }) - expected.begin()));
    need(*count == (int)expected.size() && std::equal(expected.begin(), expected.end(), out), "DeviceSelect");
#ifdef MORE
    with_memory([&](void *m, size_t &b) { return cub::DeviceRadixSort::SortKeys(m, b, in, out, n); });
    expected.assign(in, in + n);
    std::sort(expected.begin(), expected.end());
    need(std::equal(expected.begin(), expected.end(), out), "DeviceRadixSort");
    int *values = managed<int>(n);
    with_memory([&](void *m, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(m, b, out, values, counts, count, n);
    });
    same = true;
    int runs = 0;
    for (int i = 0, j; i < n; i = j, runs++) {
        for (j = i; j < n && out[j] == out[i]; j++) {
        }
        same = same && values[runs] == out[i] && counts[runs] == j - i;
    }
    need(same && *count == runs, "DeviceRunLengthEncode");
    with_memory([&](void *m, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(m, b, in, counts, 11, 0, 510, n);
    });
    bins.assign(10, 0);
    for (int i = 0; i < n; i++)
        bins[in[i] / 51]++;
    need(std::equal(bins.begin(), bins.end(), counts), "DeviceHistogram");
    thrust::device_vector<int> a(in, in + n), ks(n), vs(n);
    thrust::sort(a.begin(), a.end());
    std::vector<int> back(n);
    thrust::copy(a.begin(), a.end(), back.begin());
    need(back == expected, "thrust::sort");
    auto ends =
        thrust::reduce_by_key(a.begin(), a.end(), thrust::make_constant_iterator(1), ks.begin(), vs.begin());
    need(ends.first - ks.begin() == runs, "thrust::reduce_by_key");
    thrust::transform(a.begin(), a.end(), vs.begin(), [] __device__(int x) { return x * x; });
    need(thrust::reduce(vs.begin(), vs.end(), 0, thrust::plus<int>()) ==
             std::accumulate(in, in + n, 0, [](int s, int x) { return s + x * x; }),
         "thrust::transform and thrust::reduce");
    thrust::inclusive_scan(a.begin(), a.end(), a.begin(), thrust::maximum<int>());
    need(thrust::is_sorted(a.begin(), a.end()), "thrust::inclusive_scan");
    thrust::device_vector<double> d(1000);
    thrust::sequence(d.begin(), d.end());
    thrust::stable_sort(d.begin(), d.end(), thrust::greater<double>());
    need(d[0] == 999 && d[999] == 0 &&
             thrust::count_if(d.begin(), d.end(), [] __device__(double x) { return x < 10; }) == 10,
         "thrust::stable_sort");
    thrust::device_vector<int> u(in, in + n);
    thrust::sort(u.begin(), u.end());
    need(thrust::unique(u.begin(), u.end()) - u.begin() == runs, "thrust::unique");
#endif
    float *uniform = managed<float>(256);
    unsigned *raw = managed<unsigned>(256);
    random_numbers<<<2, 128>>>(uniform, raw);
    CHECK(cudaDeviceSynchronize());
    double mean = 0;
    for (int i = 0; i < 256; i++)
        mean += uniform[i] / (256 * 16);
    unsigned digest = 0;
    for (int i = 0; i < 256; i++)
        digest = digest * 31 + raw[i];
    printf("    mean %.6f, digest %u\n", mean, digest);
    need(mean > 0.45 && mean < 0.55, "random numbers");
    return failures != 0;
}
