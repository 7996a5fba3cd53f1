/* A kernel reads in one stream what a kernel writes in another: an event orders the two, or nothing does.
 * tests/machine_calls.cu has all kinds of streams and waits.
 * With FREES the first stream also allocates and frees the words that the other one reads.
 * With TICKETS, the last block of each of two launches adds the parts of all of its blocks. A ticket that
 * both launches take makes a block the last one although others of its launch are still to come. With OTHER
 * the launches come one after the other, and no block of the second one gets the ticket that it looks for. */
// expect: right
// expect -DNO_WAIT: race "to[i] = from[i] + 1;" "p[i] = i;" "of consume" "of produce" "cudaStreamWaitEvent()"
// expect -DFREES=AFTER: right
// expect -DFREES=WITH: race "to[i] = from[i] + 1;" "// after or with its reader" "a stream's cudaFreeAsync()"
// expect -DFREES=BEFORE: outside "to[i] = from[i] + 1;" "// before its reader" "given back"
// expect -DFREES=AFTER -DOTHER: race "p[i] = i;" "cudaMallocAsync(&words" "a stream's cudaMallocAsync()"
// expect -DTICKETS=2: right
// expect -DTICKETS=1 -DOTHER: wrong "back to 0 after each launch of adds" "atomicAdd(ticket, 1)"
// expect -DTICKETS=2 -DOTHER: right
// expect -DTICKETS=1 --runs 100: race "total += parts[b]" "a word for each launch" "atomicAdd(ticket, 1)"
#include "tools/bugs/bug.h"

enum { AFTER = 1, WITH, BEFORE };
#ifndef FREES
#define FREES 0
#endif

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

__global__ void adds(int *parts, unsigned *ticket, int *sum)
{
    parts[blockIdx.x] = 1;
    __threadfence();
    if (atomicAdd(ticket, 1) != gridDim.x - 1)
        return;
    __threadfence();
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
        total += parts[b];
    *sum = total;
}

int main()
{
    const int n = 32;
    int *words = new_array(n), *more = new_array(n);
    cudaEvent_t produced, consumed;
    cudaStream_t one, other;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
#ifdef TICKETS
    unsigned *tickets = (unsigned *)new_zeros(TICKETS);
    adds<<<3, 1, 0, one>>>(words, tickets, more);
#ifdef OTHER
    cudaStreamSynchronize(one);
#endif
    adds<<<3, 1, 0, other>>>(words + 3, tickets + TICKETS - 1, more + 1);
    cudaDeviceSynchronize();
    return is_wrong(more, 2, [](int) { return 3; });
#endif
    cudaEventCreateWithFlags(&consumed, cudaEventDisableTiming);
    if (FREES)
        cudaMallocAsync(&words, n * sizeof(int), one);
    cudaEventCreateWithFlags(&produced, cudaEventDisableTiming);
#ifdef OTHER
    produce<<<1, n, 0, other>>>(words);
#else
    produce<<<1, n, 0, one>>>(words);
#endif
    if (FREES == BEFORE)
        cudaFreeAsync(words, one); // before its reader
    cudaEventRecord(produced, one);
#ifndef NO_WAIT
    cudaStreamWaitEvent(other, produced, 0);
#endif
    consume<<<1, n, 0, other>>>(words, more);
    cudaEventRecord(consumed, other);
    if (FREES == AFTER)
        cudaStreamWaitEvent(one, consumed, 0);
    if (FREES == AFTER || FREES == WITH)
        cudaFreeAsync(words, one); // after or with its reader
    cudaStreamSynchronize(other);
    return is_wrong(more, n, [](int i) { return i + 1; });
}
