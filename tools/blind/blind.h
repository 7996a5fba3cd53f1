/*
 * Shared by the programs of this folder. The memory machine, which simulates GPUs, predicts their times, and
 * none of its constants was fitted to these programs. Each program prints lines with a name and a time in
 * nanoseconds, which CUDA events measure, on a GPU and on the memory machine alike:
 *
 *     scripts/gpusync-predict --device h200 tools/blind/NAME.cu
 *     nvcc -O3 -arch=native -o NAME tools/blind/NAME.cu && ./NAME
 */
#ifndef BLIND_H
#define BLIND_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                  \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

#ifdef GPUSYNC_MACHINE
/* one sample, because times on the memory machine have no noise; few repeats, because the machine is slow */
static const int SAMPLES = 1, REPEATS = 3;
#else
static const int SAMPLES = 15, REPEATS = 20;
#endif

/* Prints the median time of a call of `work`, divided by `operations`, the number of its operations. The host
 * makes REPEATS calls one after another and waits only for the last one, as users' loops do. So if `work`
 * takes less time than a launch, the time of a launch is printed. */
template <class Work>
void measure(const char *name, int configuration, double operations, Work work)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    work();
    for (int s = 0; s < SAMPLES; s++) {
        float milliseconds;
        CHECK(cudaEventRecord(begin, 0));
        for (int r = 0; r < REPEATS; r++)
            work();
        CHECK(cudaEventRecord(end, 0));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        times.push_back(milliseconds);
    }
    CHECK(cudaGetLastError());
    std::sort(times.begin(), times.end());
    printf("%s-%d\t%.1f\n", name, configuration, times[times.size() / 2] * 1e6 / REPEATS / operations);
}

/* Allocates `count` words of device memory, and zeroes them. */
static unsigned *words(size_t count)
{
    unsigned *all;
    CHECK(cudaMalloc((void **)&all, count * sizeof *all));
    CHECK(cudaMemset(all, 0, count * sizeof *all));
    return all;
}

#endif
