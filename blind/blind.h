/*
 * Shared by programs whose times are predicted blindly: no constant of the machine was fitted to them. Each
 * prints lines with a name and nanoseconds, which CUDA's events measure, on a GPU and on the memory machine
 * alike:
 *
 *     scripts/gpusync-predict --device h200 blind/NAME.cu
 *     nvcc -O3 -arch=native -o NAME blind/NAME.cu && ./NAME
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
/* one sample, since the machine has no noise; few repeats, since it is slow */
static const int SAMPLES = 1, REPEATS = 3;
#else
static const int SAMPLES = 15, REPEATS = 20;
#endif

/* Prints the median time of `work`, divided by the number of its operations. Several calls of `work`
 * follow each other without a wait of the host, as in a user's loop, so that the time of a launch shows if
 * `work` is short. */
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
