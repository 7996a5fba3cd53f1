/* mirage-project/mirage#761, #762, #775: two persistent grids run in two streams. The workers' grid is placed
 * first, fills the device, and waits for the scheduler's grid, for which no multiprocessor is free. (On a GPU
 * with more than 132 multiprocessors, or with more than 2,048 threads on each, the workers do not fill the
 * device.) */
// expect --runs 3: right
// expect -DBROKEN --runs 2: hang "wait for a free multiprocessor"
#include "bug.h"

#define WORKERS 264 // number of worker blocks of 1,024 threads: two on each of 132 multiprocessors

__global__ void work(words *w, unsigned long long *wrong)
{
    if (threadIdx.x == 0)
        WAIT_UNTIL(look_acquire(&w->flag))
}
__global__ void schedule(words *w)
{
    if (threadIdx.x == 0)
        set_release(&w->flag, 1);
}

int main(int argc, char **argv)
{
    long long asked = argc > 1 ? atoll(argv[1]) : 1;
    words *w;
    unsigned long long *wrong, host = 0;
    cudaStream_t of_workers, of_scheduler;
    CHECK(cudaMalloc((void **)&w, sizeof *w));
    CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
    CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    CHECK(cudaStreamCreateWithFlags(&of_workers, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&of_scheduler, cudaStreamNonBlocking));
    for (long long done = 0; done < asked; done++) {
        CHECK(cudaMemset(w, 0, sizeof *w));
        CHECK(cudaDeviceSynchronize());
#ifndef BROKEN
        schedule<<<1, 32, 0, of_scheduler>>>(w);
#endif
        work<<<WORKERS, 1024, 0, of_workers>>>(w, wrong);
#ifdef BROKEN
        schedule<<<1, 32, 0, of_scheduler>>>(w);
#endif
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(&host, wrong, sizeof host, cudaMemcpyDeviceToHost));
    printf("%llu wrong in %lld instances\n", host, asked);
    return host != 0;
}
