// Kernels for tests/predict; the argument chooses one. These never end: a grid's barrier that waits for a
// block too many, and a named barrier that waits for a warp too many (hang_causes.cu has more of them). The
// others end: "bounded" gives up, and what "host" and "stream" poll is written later.
#include <cstring>

__global__ void before(unsigned *word)
{
    atomicAdd(word + 1, 1);
}

__global__ void by_atomics(unsigned *count)
{
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0u) < 5)
            ;
    }
    __syncthreads();
}

__global__ void named(unsigned *word)
{
    asm volatile("bar.sync 1, 96;" ::: "memory");
    word[threadIdx.x + 2] = 1;
}

__global__ void bounded(volatile unsigned *flag, unsigned *polls)
{
    unsigned i = 0;
    while (!*flag && i < 20000)
        i++;
    *polls = i;
}

__global__ void waits(volatile unsigned *flag)
{
    while (!*flag)
        ;
}

__global__ void sets(volatile unsigned *flag)
{
    *flag = 1;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    unsigned *word, *shared, polls = 0;
    cudaStream_t one, other;
    cudaMalloc(&word, 512);
    cudaMemset(word, 0, 512);
    cudaMallocHost(&shared, sizeof *shared);
    *shared = 0;
    before<<<4, 64>>>(word);
    if (!strcmp(which, "atomics"))
        by_atomics<<<4, 64>>>(word);
    if (!strcmp(which, "named"))
        named<<<1, 64>>>(word);
    if (!strcmp(which, "bounded")) {
        bounded<<<1, 1>>>(word, word + 2);
        cudaMemcpy(&polls, word + 2, sizeof polls, cudaMemcpyDeviceToHost);
        return polls != 20000;
    }
    if (!strcmp(which, "host")) {
        waits<<<1, 1>>>(shared);
        *shared = 1;
    }
    if (!strcmp(which, "stream")) {
        cudaStreamCreate(&one);
        cudaStreamCreate(&other);
        waits<<<1, 1, 0, one>>>(word);
        sets<<<1, 1, 0, other>>>(word);
    }
    cudaDeviceSynchronize();
    before<<<4, 64>>>(word);
    cudaDeviceSynchronize();
    return 0;
}
