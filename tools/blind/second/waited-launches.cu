/* Launches a kernel, and waits on the host until it has ended. Prints ns per launch with its wait; the
 * number in each printed name is the number of blocks of 128 threads. Each block adds to one word. */
#include "../blind.h"
__global__ void add(unsigned *word)
{
    if (threadIdx.x == 0)
        atomicAdd(word, 1);
}
int main()
{
    unsigned *word = words(32);
    for (int blocks : {1, 132, 1056})
        measure("waited-launches", blocks, 1, [=] {
            add<<<blocks, 128>>>(word);
            CHECK(cudaStreamSynchronize(0));
        });
}
