// Warps do tasks of uneven lengths, as persistent ray tracers (Aila and Laine) and sparse GEMMs do.
// a: a range for each block, then stealing from others; b: one counter. ns per batch; the number: blocks.
#include "../blind.h"

static const int TASKS_EACH = 16, LINE = 32;

static __device__ unsigned work(const unsigned *input, unsigned task)
{
    unsigned length = 2 + task * 2654435761u % 13, index = task, sum = 0;
    for (unsigned k = 0; k < length; k++) {
        unsigned word = input[index % 4096 + threadIdx.x];
        sum = sum * 3 + word;
        index += 32 + (__shfl_sync(0xffffffffu, word, 0) & 1);
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    return sum;
}

/* Takes the next task of a range, for the whole warp; TASKS_EACH or more means that it is empty. */
static __device__ unsigned take(unsigned *counter)
{
    unsigned task = threadIdx.x == 0 ? atomicAdd(counter, 1u) : 0;
    return __shfl_sync(0xffffffffu, task, 0);
}

/* Counters of this launch begin at 0; those of the next one are zeroed meanwhile. */
__global__ void stealing(const unsigned *input, unsigned *output, unsigned *counters, unsigned *next)
{
    if (threadIdx.x == 0)
        next[blockIdx.x * LINE] = 0;
    for (unsigned v = 0; v < gridDim.x; v++) {
        unsigned victim = (blockIdx.x + v * 7) % gridDim.x;
        volatile unsigned *counter = counters + victim * LINE;
        bool empty = v > 0 && threadIdx.x == 0 && *counter >= TASKS_EACH;
        if (__any_sync(0xffffffffu, empty))
            continue;
        for (unsigned t; (t = take(counters + victim * LINE)) < TASKS_EACH;) {
            unsigned sum = work(input, victim * TASKS_EACH + t);
            if (threadIdx.x == 0)
                output[victim * TASKS_EACH + t] += sum;
        }
    }
}

__global__ void one_counter(const unsigned *input, unsigned *output, unsigned *counter, unsigned *next)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *next = 0;
    for (unsigned t; (t = take(counter)) < gridDim.x * TASKS_EACH;) {
        unsigned sum = work(input, t);
        if (threadIdx.x == 0)
            output[t] += sum;
    }
}

static void verify(const std::vector<unsigned> &input, unsigned *output, int tasks, unsigned calls)
{
    std::vector<unsigned> got(tasks);
    CHECK(cudaMemcpy(got.data(), output, tasks * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int t = 0; t < tasks; t++) {
        unsigned length = 2 + t * 2654435761u % 13, index = t, total = 0, sums[32] = {};
        for (unsigned k = 0; k < length; k++) {
            for (int lane = 0; lane < 32; lane++)
                sums[lane] = sums[lane] * 3 + input[index % 4096 + lane];
            index += 32 + (input[index % 4096] & 1);
        }
        for (unsigned sum : sums)
            total += sum;
        if (got[t] != total * calls) {
            fprintf(stderr, "steal-tasks: task %d of %d has a wrong result\n", t, tasks);
            exit(1);
        }
    }
    CHECK(cudaMemset(output, 0, tasks * sizeof(unsigned)));
}

int main()
{
    std::vector<unsigned> host(4096 + 32);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (unsigned)i * 2654435761u >> 9;
    unsigned *input = words(host.size());
    CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int blocks : {5, 32, 131}) {
        unsigned *output = words(blocks * TASKS_EACH), *counters[2], calls = 0;
        for (unsigned *&half : counters)
            half = words(blocks * LINE);
        measure("steal-tasks-a", blocks, 1, [&] {
            stealing<<<blocks, 32>>>(input, output, counters[calls % 2], counters[(calls + 1) % 2]);
            calls++;
        });
        verify(host, output, blocks * TASKS_EACH, calls);
        for (unsigned *half : counters)
            CHECK(cudaMemset(half, 0, blocks * LINE * sizeof(unsigned)));
        calls = 0;
        measure("steal-tasks-b", blocks, 1, [&] {
            one_counter<<<blocks, 32>>>(input, output, counters[calls % 2], counters[(calls + 1) % 2]);
            calls++;
        });
        verify(host, output, blocks * TASKS_EACH, calls);
        for (unsigned *p : {output, counters[0], counters[1]})
            CHECK(cudaFree(p));
    }
    return 0;
}
