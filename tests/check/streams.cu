/* A kernel reads in one stream what a kernel writes in another: an event orders the two, or nothing does. */
// expect: right
// expect -DNON_BLOCKING: right
// expect -DNO_WAIT: race "to[i] = from[i] + 1;" "p[i] = i;" "of consume" "of produce" "cudaStreamWaitEvent()"
// expect -DNO_WAIT -DNON_BLOCKING: race "to[i] = from[i] + 1;" "p[i] = i;"
// expect -DTOO_EARLY: race "to[i] = from[i] + 1;" "p[i] = i;"
// expect -DBY_HOST: right
#include "tools/bugs/bug.h"

__global__ void produce(int *p)
{
    int i = threadIdx.x;
    p[i] = i;
}

__global__ void consume(const int *from, int *to)
{
    int i = threadIdx.x;
    to[i] = from[i] + 1;
}

static cudaStream_t new_stream()
{
    cudaStream_t stream;
#ifdef NON_BLOCKING
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#else
    cudaStreamCreate(&stream);
#endif
    return stream;
}

int main()
{
    const int n = 32;
    int *words = new_array(n), *more = new_array(n);
    cudaEvent_t produced;
    cudaStream_t one = new_stream(), other = new_stream();
    cudaEventCreateWithFlags(&produced, cudaEventDisableTiming);
#ifdef TOO_EARLY
    cudaEventRecord(produced, one);
#endif
    produce<<<1, n, 0, one>>>(words);
#ifndef TOO_EARLY
    cudaEventRecord(produced, one);
#endif
#if defined BY_HOST
    cudaEventSynchronize(produced);
#elif !defined NO_WAIT
    cudaStreamWaitEvent(other, produced, 0);
#endif
    consume<<<1, n, 0, other>>>(words, more);
    cudaStreamSynchronize(other);
    return is_wrong(more, n, [](int i) { return i + 1; });
}
