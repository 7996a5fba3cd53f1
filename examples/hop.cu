/* SPDX-License-Identifier: MIT */
/*
 * Two blocks pass numbers to each other, round after round in one launch, in each of the three ways of
 * sync/hop.cuh: block 0 sends its numbers, block 1 adds one to each and sends them back. The program needs
 * only the folder sync/:
 *
 *     nvcc -std=c++17 -arch=native -I. examples/hop.cu -o hop && ./hop
 *
 * It prints how many numbers are wrong, and exits with 1 if any number is. On the memory machine it runs
 * while memory is as weak as PTX allows, and a data race is an error, too.
 */
#include "sync/grid_barrier.cuh"
#include "sync/hop.cuh"
#ifdef GPUSYNC_MACHINE
#include "machine/machine.h"
#endif

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace gpusync;

static const unsigned THREADS = 64, ROUNDS = 10;

/* ByCounter, Packed and BySentinel are three ways to pass data in both directions. Each type contains the
 * device memory that its way needs. The host sets all bytes of this memory to `first` before a launch. Thread
 * t sends and receives element t. */
struct ByCounter {
    static const int first = 0;
    struct {
        unsigned counter;
        hop_data pieces[THREADS]; /* the data of each thread, which ordinary accesses write and read */
    } there[2];

    __device__ void send(int direction, unsigned, hop_data data)
    {
        there[direction].pieces[threadIdx.x] = data;
        hop_send(&there[direction].counter);
    }
    __device__ hop_data receive(int direction, unsigned round)
    {
        hop_receive(&there[direction].counter, round);
        return there[direction].pieces[threadIdx.x];
    }
};

struct Packed {
    static const int first = 0;
    hop_packed places[2][THREADS];

    __device__ void send(int direction, unsigned round, hop_data data)
    {
        hop_packed_publish(&places[direction][threadIdx.x], data, round);
    }
    __device__ hop_data receive(int direction, unsigned round)
    {
        return hop_packed_await(&places[direction][threadIdx.x], round);
    }
};

struct BySentinel {
    static const int first = 0xff;
    uint4 places[2][3][THREADS];

    __device__ void send(int direction, unsigned round, hop_data data)
    {
        hop_sentinel_store(&places[direction][round % 3][threadIdx.x],
                           make_uint4(data.x, data.y, data.z, round));
        hop_sentinel_clear(&places[direction][(round + 2) % 3][threadIdx.x]);
        __threadfence(); /* this fence also serves as the one that a thread needs between two receives */
    }
    __device__ hop_data receive(int direction, unsigned round)
    {
        uint4 data = hop_sentinel_await(&places[direction][round % 3][threadIdx.x]);
        return {data.x, data.y, data.z};
    }
};

template <class Way>
__global__ void pass_on(Way *way, hop_data *numbers, unsigned rounds)
{
    hop_data mine = {};
    if (blockIdx.x == 0)
        mine = numbers[threadIdx.x];
    for (unsigned round = 1; round <= rounds; round++) {
        if (blockIdx.x == 0) {
            way->send(0, round, mine);
            mine = way->receive(1, round);
        } else {
            mine = way->receive(0, round);
            way->send(1, round, {mine.x + 1, mine.y + 1, mine.z + 1});
        }
    }
    if (blockIdx.x == 0)
        numbers[threadIdx.x] = mine;
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "hop: %s\n", cudaGetErrorString(error));
    exit(3);
}

/* Runs one way to pass data, and returns how many numbers are wrong. */
template <class Way>
static int run()
{
    std::vector<hop_data> numbers(THREADS);
    const size_t bytes = THREADS * sizeof(hop_data);
    Way *way;
    hop_data *on_device;
    int wrong = 0;
    for (unsigned t = 0; t < THREADS; t++)
        numbers[t] = {t, 1000 + t, 2000 + t};
    check(cudaMalloc((void **)&way, sizeof(Way)));
    check(cudaMalloc((void **)&on_device, bytes));
    check(cudaMemset(way, Way::first, sizeof(Way)));
    check(cudaMemcpy(on_device, numbers.data(), bytes, cudaMemcpyHostToDevice));
    check(gpusync_launch(pass_on<Way>, 2, THREADS, 0, 0, way, on_device, ROUNDS));
    check(cudaMemcpy(numbers.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    check(cudaFree(way));
    check(cudaFree(on_device));
    for (unsigned t = 0; t < THREADS; t++) {
        const hop_data n = numbers[t];
        wrong += n.x != t + ROUNDS || n.y != 1000 + t + ROUNDS || n.z != 2000 + t + ROUNDS;
    }
    return wrong;
}

static int run_all(const char *where)
{
    int by_counter = run<ByCounter>(), packed = run<Packed>(), by_sentinel = run<BySentinel>();
    printf("hop: %s: of %u pieces after %u rounds, wrong by a counter: %d, packed: %d, by a sentinel: %d\n",
           where, THREADS, ROUNDS, by_counter, packed, by_sentinel);
    return by_counter + packed + by_sentinel;
}

#ifdef GPUSYNC_MACHINE

int main()
{
    static const char *const memories[] = {"coherent", "l1", "oldest", "random"};
    int wrong = 0;
    machine_collect_races(true, true);
    for (const char *name : memories) {
        machine_memory memory;
        machine_memory_of(name, &memory);
        machine_set_memory(memory);
        for (unsigned seed = 1; seed <= 2; seed++) {
            machine_set_schedule(seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL, seed);
            wrong += run_all(name);
        }
    }
    machine_print_races(stdout);
    return wrong || machine_races() ? 1 : 0;
}

#else

int main()
{
    return run_all("this GPU") != 0;
}

#endif
