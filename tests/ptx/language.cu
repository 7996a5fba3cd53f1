// Tests the PTX of C++ language features: calls, function pointers, recursion, large structs, local memory,
// printf(), static data. Compiled with and without optimizations (tests/ptx_programs). The host computes each
// answer with the same functions. Virtual functions and the heap are in tests/check/device_heap.cu; loops,
// branches and shared memory are in every experiment.
#include "judge.cuh"

#include <cassert>
#include <cstdint>

#include <cuda.h>

#define BOTH __host__ __device__

static const unsigned THREADS = 256;

template <class T, class F>
__global__ void each(T *out, F f)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = f(t);
}

// Checks that f(t) of each thread t is the same on the device and on the host.
template <class F>
static void agree(const char *what, F f)
{
    auto out = managed<decltype(f(0u))>(THREADS);
    each<<<4, THREADS / 4>>>(out, f);
    compare(
        out, THREADS, 1, [=](unsigned t, unsigned) { return f(t); }, what);
}

// ---- calls ----

BOTH __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

// Each call keeps an array whose address the next one gets.
BOTH __noinline__ long long deep(int n, const int *above)
{
    int own[4];
    for (int i = 0; i < 4; i++)
        own[i] = (above ? above[(i + n) & 3] : i) + n;
    return n == 0 ? own[0] + own[3] : deep(n - 1, own) + own[1];
}

// A struct that is a parameter and a result.
struct wide {
    double d[5];
    int i[7];
    char c[3];
};
BOTH __noinline__ wide turned(wide w, int n)
{
    wide r = w;
    for (int i = 0; i < 7; i++)
        r.i[i] = w.i[(i + n) % 7] + (int)w.d[i % 5] * w.c[i % 3];
    return r;
}

BOTH unsigned long long all_calls(unsigned t)
{
    wide w = {{t * 0.25, 1, 2, 3, 4}, {1, (int)t, 3, 4, 5, 6, 7}, {(char)t, 1, 2}};
    unsigned long long h = ackermann(2, t % 9);
    h = h * 31 + (unsigned long long)deep((int)(t % 50) * 3, nullptr);
    for (unsigned i = 0; i < t % 5 + 1; i++)
        w = turned(w, (int)(t % 6));
    for (int i : w.i)
        h = h * 31 + (unsigned)i;
    return h;
}

// ---- function pointers ----

typedef int (*binary)(int, int);
BOTH __noinline__ int add(int a, int b)
{
    return a + b;
}
BOTH __noinline__ int sub(int a, int b)
{
    return a - b;
}
BOTH __noinline__ int mul(int a, int b)
{
    return a * b;
}
BOTH __noinline__ int rec(int a, int b)
{
    return a <= 0 ? b : rec(a - 1, b + a);
}

__device__ binary table[4] = {add, sub, mul, rec};
__constant__ binary fixed_table[4] = {rec, mul, sub, add};
__device__ binary *chosen_table = table;
struct named {
    char name[8];
    binary function;
    const char *text;
};
__device__ const named records[2] = {{"one", mul, "first"}, {"two", sub, "second"}};
__device__ binary written_by_kernel;
static const binary host_table[4] = {add, sub, mul, rec};
static const binary host_fixed[4] = {rec, mul, sub, add};

__global__ void choose(int which)
{
    written_by_kernel = table[which];
}

__global__ void pointers(int *out)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int x = table[t % 4](t, 3) + fixed_table[t / 4 % 4](t, 5) * 7 + chosen_table[t / 2 % 4](2, t);
    x += records[t & 1].function(t, 9) + records[t & 1].text[t % 5] + records[t & 1].name[t % 3];
    out[t] = x + written_by_kernel(t, t);
}

// ---- static data ----

__device__ int counters[3] = {5, -6, 7};
__device__ int *into_counters = &counters[1];
__device__ char text[] = "some text";
__device__ const char *texts[3] = {"zero", "one", text};
__constant__ double constants[4] = {0.5, -1.25, 1e300, 3};
__managed__ int for_both[4] = {1, 2, 3, 4};
struct nested {
    struct {
        short s;
        float f[2];
    } in[2];
    long long l;
    bool b;
};
__device__ nested nest = {{{-3, {1.5f, 2.5f}}, {9, {-0.5f, 8}}}, -1234567890123ll, true};

__global__ void data(double *out)
{
    unsigned t = threadIdx.x;
    double x = counters[t % 3] + *into_counters + texts[t % 3][t % 4] + constants[t % 2] + for_both[t % 4];
    x += nest.in[t & 1].s + nest.in[t & 1].f[t >> 1 & 1] + (double)nest.l + nest.b;
    out[t] = x;
    if (t == 0)
        for_both[3] = 40;
}

// ---- printf() ----

__global__ void printing()
{
    int i = -7;
    long long l = -1234567890123ll;
    if (threadIdx.x < 2)
        printf("%d %s %c %5.2f|%-6d|%06x %lld %llu %%, %g %e %p %hd %lu %i %+d %.3s\n", (int)threadIdx.x,
               "text", 'x', 3.14159, i, 48879, l, 18446744073709551615ull, 0.5, 12345.678, (void *)0x1234,
               (short)-3, 77ul, i, 9, "abcdef");
    if (threadIdx.x == 2)
        printf("no arguments\n");
}

// ---- errors, modules ----

__global__ void fails(int n, int *p, int what)
{
    if (what == 't' && threadIdx.x == 40)
        __trap();
    if (what == 'w')
        p[n] = 1;
    if (what == 'a')
        assert(n < 40);
}

// exits() ends some lanes at once, some within nested calls, and some before a barrier.
__device__ __noinline__ int leaves(int n)
{
    if (n == 0) {
        if (threadIdx.x % 5 == 1)
            asm volatile("exit;");
        return 1;
    }
    return leaves(n - 1) + n;
}
__global__ void exits(int *out)
{
    int t = (int)threadIdx.x;
    out += blockIdx.x * blockDim.x;
    if (t % 7 == 3)
        return;
    out[t] = leaves(t % 9);
    if (t % 11 == 2)
        asm volatile("exit;");
    __syncthreads();
    out[t] += 1000;
}

// Is the proposed block size the one with the most resident threads, among sizes up to `most` (0 means any)?
// A block has 2,000 bytes of shared memory for each warp.
static bool has_most_resident(CUfunction function, int most)
{
    auto shared = [](int threads) -> size_t { return threads / 32 * 2000; };
    int grid = 0, threads = 0, blocks = 0, sms = 0;
    if (cuOccupancyMaxPotentialBlockSize(&grid, &threads, function, shared, 0, most) ||
        cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0))
        return false;
    for (int t = 32; t <= (most ? most : 1024); t += 32) {
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, t, shared(t));
        if (blocks * t * sms > grid * threads)
            return false;
    }
    cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared(threads));
    return grid == blocks * sms && threads <= (most ? most : 1024);
}

static bool modules(int *out)
{
    const char *text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .global .align 4 .u32 word = 7;\n"
        ".func (.param .b32 r) more(.param .b32 a)\n"
        "{ .reg .u32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, 5; st.param.u32 [r], %x; ret; }\n"
        ".visible .entry k(.param .u64 p)\n"
        "{ .reg .u64 %a; .reg .u32 %x, %y; .reg .pred %p; ld.param.u64 %a, [p]; ld.global.u32 %x, [word];\n"
        "{ .param .b32 a, b; st.param.b32 [a], %x; call (b), more, (a); ld.param.b32 %y, [b]; }\n"
        "{ again: add.u32 %y, %y, 1; setp.lt.u32 %p, %y, 20; @%p bra again; }\n"
        "{ again: add.u32 %y, %y, 1; setp.lt.u32 %p, %y, 30; @%p bra again; }\n"
        "st.global.u32 [%a], %y; add.u32 %x, %x, 20; st.global.u32 [word], %x; ret; }\n";
    for (int i = 0; i < 20; i++) {
        CUmodule module;
        CUfunction function;
        void *arguments[] = {&out};
        int answers[2] = {30, 34};
        if (cuModuleLoadData(&module, text) || cuModuleGetFunction(&function, module, "k"))
            return false;
        for (int launch = 0; launch < 2; launch++)
            if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) ||
                cuCtxSynchronize() || *out != answers[launch])
                return false;
        if (!has_most_resident(function, 0) || !has_most_resident(function, 96) || cuModuleUnload(module))
            return false;
    }
    return true;
}

int main(int count, char **words)
{
    cudaDeviceSetLimit(cudaLimitStackSize, 1 << 15); // a GPU's default is 1,024 bytes
    if (count > 1) {
        int *p;
        cudaMalloc(&p, 4);
        fails<<<2, 64>>>(*words[1] == 'w' ? 1 << 30 : 40, p, *words[1]);
        ended("an error");
    }
    agree("calls", [] BOTH(unsigned t) { return all_calls(t); });
    int *out = managed<int>(THREADS);
    choose<<<1, 1>>>(2);
    pointers<<<2, THREADS / 2>>>(out);
    compare(
        out, THREADS, 1,
        [](unsigned number, unsigned) {
            int t = (int)number, x = host_table[t % 4](t, 3) + host_fixed[t / 4 % 4](t, 5) * 7;
            x += host_table[t / 2 % 4](2, t);
            x += t & 1 ? sub(t, 9) + "second"[t % 5] + "two"[t % 3]
                       : mul(t, 9) + "first"[t % 5] + "one"[t % 3];
            return x + t * t;
        },
        "function pointers");
    double *doubles = managed<double>(100);
    data<<<1, 64>>>(doubles);
    compare(
        doubles, 64, 1,
        [](unsigned t, unsigned) {
            const char *names[3] = {"zero", "one", "some text"};
            const int known[3] = {5, -6, 7};
            double x = known[t % 3] - 6 + names[t % 3][t % 4] + (t % 2 ? -1.25 : 0.5) + (double)(t % 4 + 1);
            return x + (t & 1 ? 9 : -3) + (t & 1 ? (t >> 1 & 1 ? 8 : -0.5f) : (t >> 1 & 1 ? 2.5f : 1.5f)) -
                   1234567890123.0 + 1;
        },
        "initialized data");
    need(for_both[3] == 40, "managed variables");
    int *sums = managed<int>(3 * 128);
    for (int i = 0; i < 3; i++)
        exits<<<3, 128>>>(sums);
    compare(
        sums, 3 * 128, 1,
        [](unsigned number, unsigned) {
            unsigned t = number % 128;
            int m = (int)t % 9, sum = 1 + m * (m + 1) / 2 + (t % 11 == 2 ? 0 : 1000);
            return t % 7 == 3 || t % 5 == 1 ? 0 : sum;
        },
        "exits within calls");
    need(modules(out), "modules");
    printing<<<1, 3>>>();
    ended("printf");
    return failures != 0;
}
