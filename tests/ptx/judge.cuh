/* Shared by the programs of this folder that judge themselves: they print "ok SENTENCE" or "WRONG SENTENCE"
 * for each sentence that must hold, and end with status 1 if one does not hold, or a call of CUDA fails. */
#ifndef TESTS_PTX_JUDGE_CUH
#define TESTS_PTX_JUDGE_CUH

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call) succeeds((call), #call)

static int failures;

static inline void need(bool holds, const char *what)
{
    printf("%s %s\n", holds ? "ok" : "WRONG", what);
    failures += !holds;
}

static inline void succeeds(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("WRONG %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

/* Waits until the kernels before have ended. */
static inline void ended(const char *what)
{
    succeeds(cudaDeviceSynchronize(), what);
    succeeds(cudaGetLastError(), what);
}

/* Returns n objects whose bytes are 0, which the host and the device access. */
template <class T>
static T *managed(size_t n)
{
    T *data;
    CHECK(cudaMallocManaged(&data, n * sizeof(T)));
    memset((void *)data, 0, n * sizeof(T));
    return data;
}

/* Checks that word w of thread t, which earlier kernels have written, is expected(t, w). */
template <class T, class F>
static void compare(const T *out, unsigned threads, unsigned words, F expected, const char *what)
{
    ended(what);
    unsigned i = 0;
    while (i < threads * words && out[i] == expected(i / words, i % words))
        i++;
    if (i < threads * words)
        printf("    thread %u, word %u\n", i / words, i % words);
    need(i == threads * words, what);
}

#endif
