/* One thread follows a chain of 64 links through L2 or shared memory, or changes a word by atomics. Prints ns
 * per link, or per atomic. */
#include "blind.h"
__global__ void chase(unsigned *links, int steps, unsigned *out)
{
    unsigned at = 0;
    for (int s = 0; s < steps; s++)
        at = *(volatile unsigned *)&links[at];
    *out = at;
}
__global__ void chase_shared(unsigned *links, int steps, unsigned *out)
{
    __shared__ unsigned copy[64];
    copy[threadIdx.x] = links[threadIdx.x * 32] / 32;
    __syncthreads();
    unsigned at = 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < steps; s++)
            at = copy[at];
        *out = at;
    }
}
__global__ void chase_atomics(unsigned *word, int steps, unsigned *out)
{
    unsigned at = 1;
    for (int s = 0; s < steps; s++)
        at = atomicAdd(word, at) & 1;
    *out = at;
}
int main()
{
    unsigned host[64 * 32] = {0}, *links = words(64 * 32), *out = words(32);
    for (unsigned i = 0; i < 64; i++)
        host[32 * i] = 32 * ((i * 5 + 1) % 64);
    CHECK(cudaMemcpy(links, host, sizeof host, cudaMemcpyHostToDevice));
    measure("chase-global", 64, 500, [=] { chase<<<1, 1>>>(links, 500, out); });
    measure("chase-shared", 64, 500, [=] { chase_shared<<<1, 64>>>(links, 500, out); });
    measure("chase-atomics", 1, 500, [=] { chase_atomics<<<1, 1>>>(out + 1, 500, out); });
}
