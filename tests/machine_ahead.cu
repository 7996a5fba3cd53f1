/* Tests that lanes which run ahead (machine_run_lanes_ahead) change no time, no count and no result. Each
 * kernel runs on machines with and without counted instructions, once with lanes that stop at each access
 * and once with lanes that run ahead; the traces of all requests must be equal. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "machine/presets.h"
#include "sync/convergence.cuh"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace gpusync;

static const unsigned THREADS = 70, BLOCKS = 7, N = 4096; /* the last warp of a block has 6 lanes */

static __device__ unsigned mine()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* `constant` is data that no thread changes: the first thread looks at it when it has polled. */
static __device__ void wait_for_grid(unsigned *counter, unsigned round, const unsigned *constant)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1);
        while (*(volatile unsigned *)counter < (round + 1) * gridDim.x)
            ;
        for (unsigned i = 0; i < 3 + constant[1] % 2; i++)
            if (constant[i] == 12345)
                atomicAdd(counter, 1);
    }
    __syncthreads();
}

/* Sorts neighbours in rounds with a barrier of the grid between them, as the step loops do. */
static __global__ void sorts(unsigned *data, unsigned *counter)
{
    for (unsigned round = 0; round < 6; round++) {
        for (unsigned i = mine(); i < N / 2 - 3; i += gridDim.x * blockDim.x) {
            unsigned at = 2 * i + round % 2, a = data[at], b = data[at + 1];
            data[at] = a < b ? a : b;
            data[at + 1] = a < b ? b : a;
        }
        wait_for_grid(counter, round, &data[N - 4]);
    }
}

static __device__ unsigned next_of(const unsigned *data, unsigned at);

/* Lanes make different numbers of accesses, and some exit early: each loop is longer than the queue. */
static __global__ void diverges(unsigned *data, unsigned *)
{
    unsigned sum = 0;
    if (mine() % 5 == 3)
        return;
    for (unsigned k = 0; k < 3 + mine() % 23; k++)
        if ((mine() + k) % 3)
            sum += data[next_of(data, mine() * 31 + k * 7)];
        else
            data[N / 2 + mine() * 3 + k % 3] = sum;
    data[N / 2 + mine() * 3] += sum;
}

/* A call to later code, from which the lane comes back to earlier code. */
static __device__ __noinline__ unsigned next_of(const unsigned *data, unsigned at)
{
    while (data[at % (N / 2)] % 4 == 1)
        at++;
    return at % (N / 2);
}

/* The __shared__ variables of blocks that take turns have one address on the host. */
static __global__ void shares(unsigned *data, unsigned *)
{
    __shared__ unsigned part[2][THREADS];
    for (unsigned round = 0; round < 4; round++) {
        part[round % 2][threadIdx.x] = data[mine() + round];
        __syncthreads();
        unsigned other = part[round % 2][(threadIdx.x + 1) % blockDim.x];
        data[N / 2 + mine() * 4 + round] = other + part[round % 2][0];
    }
}

/* Requests that synchronize, and fences and convergence points, between accesses. */
static __global__ void mixes(unsigned *data, unsigned *counter)
{
    unsigned *own = &data[mine() * 8];
    for (unsigned round = 0; round < 3; round++) {
        own[0] += round;
        machine_arithmetic(5);
        __threadfence();
        convergence_set();
        if (threadIdx.x % 2) {
            own[1] = own[0] + 1;
            own[2] = atomicAdd(counter, 1) != ~0u;
        }
        convergence_wait();
        own[3] = __shfl_xor_sync(~0u >> (threadIdx.x < 64 ? 0 : 26), own[0], 1);
        __syncwarp(~0u >> (threadIdx.x < 64 ? 0 : 26));
        own[4] += own[3];
        unsigned *wide = own + 4;
        *(uint2 *)wide = uint2{own[0] + round, own[1]};
    }
}

/* Not free of races: the first block makes its second access after the second block's store, unless lanes
 * run ahead. */
static __global__ void races(unsigned *data, unsigned *)
{
    if (blockIdx.x == 0) {
        unsigned first = data[0];
        data[2] = first + data[1];
    } else {
        data[1] = 1;
    }
}

struct seen {
    char *trace;
    machine_counters counters;
    unsigned data[N];
};

static void observe(void (*kernel)(unsigned *, unsigned *), bool ahead, unsigned threads, unsigned blocks,
                    seen *out)
{
    unsigned *data, *counter;
    cudaMalloc((void **)&data, sizeof out->data);
    cudaMalloc((void **)&counter, sizeof *counter);
    for (unsigned i = 0; i < N; i++)
        out->data[i] = i == 1 ? 0 : i * 2654435761u >> 12;
    cudaMemcpy(data, out->data, sizeof out->data, cudaMemcpyHostToDevice);
    cudaMemset(counter, 0, sizeof *counter);
    size_t length;
    free(out->trace);
    FILE *trace = open_memstream(&out->trace, &length);
    machine_trace(trace);
    machine_reset_counters();
    machine_run_lanes_ahead(ahead);
    launch(kernel, {blocks, threads, 0, false, false}, (cudaStream_t) nullptr, data, counter);
    check(cudaDeviceSynchronize() == cudaSuccess, "the kernel ends");
    machine_trace(NULL);
    fclose(trace);
    out->counters = *machine_get_counters();
    cudaMemcpy(out->data, data, sizeof out->data, cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(counter);
}

static void install(const char *name, int poll_latency)
{
    machine_description d;
    machine_description_parse(machine_preset(name), name, &d);
    d.poll_latency = d.poll_apart_latency = poll_latency;
    machine_install(&d);
}

static bool is_alike(const char *preset, int poll_latency, void (*kernel)(unsigned *, unsigned *))
{
    static seen stops, ahead;
    install(preset, poll_latency);
    observe(kernel, false, THREADS, BLOCKS, &stops);
    install(preset, poll_latency);
    observe(kernel, true, THREADS, BLOCKS, &ahead);
    return strlen(stops.trace) > 1000 && strcmp(stops.trace, ahead.trace) == 0 &&
           memcmp(&stops.counters, &ahead.counters, sizeof stops.counters) == 0 &&
           memcmp(stops.data, ahead.data, sizeof stops.data) == 0;
}

int main()
{
    static const struct {
        const char *preset;
        int poll_latency;
    } machines[] = {{"gtx280", 0}, {"gtx570", 0}, {"k1200", 0}, {"k1200", 40}};
    for (const auto &m : machines) {
        printf("%s, %d for a poll\n", m.preset, m.poll_latency);
        check(is_alike(m.preset, m.poll_latency, sorts),
              "steps with a barrier of the grid come out the same");
        check(is_alike(m.preset, m.poll_latency, diverges),
              "lanes that go different ways and exit come out the same");
        check(is_alike(m.preset, m.poll_latency, shares),
              "blocks that take turns with shared memory come out the same");
        check(is_alike(m.preset, m.poll_latency, mixes),
              "fences, shuffles, atomics and convergence points come out the same");
    }
    static seen stops, ahead;
    install("gtx280", 0);
    observe(races, false, 1, 2, &stops);
    install("gtx280", 0);
    observe(races, true, 1, 2, &ahead);
    check(stops.data[2] == stops.data[0] + 1,
          "lanes that stop see each other's accesses in the order of time");
    check(ahead.data[2] == ahead.data[0], "lanes that run ahead do not");
    return checks_done();
}
