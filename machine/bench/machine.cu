/* Measures the speed of the memory machine itself. For kernels that are typical of the suite, it prints the
 * number of memory accesses that one core of the CPU simulates in a second (`make machine-speed`). An
 * argument chooses weak memory: l1, oldest or random. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "machine/presets.h"
#include "sync/counter.cuh"

#include <cstdio>
#include <cstdlib>
#include <time.h>

static const unsigned blocks = 30, threads = 448, rounds = 20;

/* In each round, a thread makes 4 loads and 2 stores, like a step of a Fourier transform. The accesses of a
 * warp fill whole address groups. */
__global__ void butterflies(float *data, unsigned n)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (unsigned r = 0; r < rounds; r++) {
        float a = data[at], b = data[(at + all) % n], c = data[(at + 2 * all) % n],
              d = data[(at + 3 * all) % n];
        data[at] = a + b;
        data[(at + all) % n] = c - d;
    }
}

/* In each round, a thread makes 4 loads from shared memory and one store to it, and calls __syncthreads
 * twice. */
__global__ void stencil(float *data)
{
    float *tile = dynamic_shared<float>();
    unsigned t = threadIdx.x, n = blockDim.x;
    for (unsigned r = 0; r < rounds; r++) {
        float sum = tile[t] + tile[(t + 1) % n] + tile[(t + 2) % n] + tile[(t + 3) % n];
        __syncthreads();
        tile[t] = sum;
        __syncthreads();
    }
    data[blockIdx.x * blockDim.x + t] = tile[t];
}

/* In each round, a thread makes a load and a store and takes part in a grid barrier. The barrier's own
 * accesses are not counted. */
__global__ void steps(unsigned *data, gpusync_grid_barrier memory)
{
    Counter barrier;
    barrier.begin(memory);
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 0; r < rounds; r++) {
        data[at] = data[at] + r;
        barrier.sync();
    }
    barrier.end();
}

/* Every thread adds to one of 64 words, by atomics. */
__global__ void histogram(unsigned *data)
{
    for (unsigned r = 0; r < rounds; r++)
        atomicAdd(&data[(threadIdx.x * 7 + r) % 64 + blockIdx.x * 64], 1u);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* without other processes */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double all_accesses, all_seconds;

/* Runs the kernel five times. Returns the seconds of the fastest run. */
template <class... Parameters, class... Arguments>
static double best_time(void (*kernel)(Parameters...), size_t shared_bytes, Arguments... arguments)
{
    double best = 1e9;
    for (int run = 0; run < 5; run++) {
        double begin = seconds();
        launch_shape shape = {blocks, threads, shared_bytes, false, false};
        if (launch(kernel, shape, NULL, arguments...) != cudaSuccess)
            exit(1);
        double time = seconds() - begin;
        best = time < best ? time : best;
    }
    return best;
}

static void print_rate(const char *name, double accesses, double time)
{
    printf("%-12s %8.1f million accesses a second\n", name, 1e-6 * accesses / time);
}

/* Prints how many accesses a second the machine simulates. `accesses` is the number of accesses of a thread
 * in a round. */
template <class... Parameters, class... Arguments>
static void report(const char *name, double accesses, void (*kernel)(Parameters...), size_t shared_bytes,
                   Arguments... arguments)
{
    accesses *= (double)blocks * threads * rounds;
    double time = best_time(kernel, shared_bytes, arguments...);
    all_accesses += accesses;
    all_seconds += time;
    print_rate(name, accesses, time);
}

int main(int argc, char **argv)
{
    machine_description description;
    const char *wrong = machine_description_parse(machine_preset("gtx280"), "gtx280", &description);
    if (wrong)
        return 1;
    machine_install(&description);
    machine_memory memory_kind = MACHINE_COHERENT;
    if (argc > 1 && !machine_memory_of(argv[1], &memory_kind))
        return 2;
    machine_set_memory(memory_kind);
    const unsigned n = 4 * blocks * threads;
    float *data;
    gpusync_grid_barrier memory = {NULL, blocks};
    if (cudaMalloc((void **)&data, n * sizeof *data) != cudaSuccess ||
        cudaMalloc((void **)&memory.words, gpusync_grid_barrier_bytes(blocks)) != cudaSuccess)
        return 1;
    cudaMemset(data, 0, n * sizeof *data);
    cudaMemset(memory.words, 0, gpusync_grid_barrier_bytes(blocks));
    report("butterflies", 6, butterflies, 0, data, n);
    report("stencil", 5, stencil, threads * sizeof(float), data);
    report("steps", 2, steps, 0, (unsigned *)data, memory);
    report("histogram", 1, histogram, 0, (unsigned *)data);
    print_rate("all", all_accesses, all_seconds);
    return 0;
}
