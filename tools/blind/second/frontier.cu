/* Levels of a binary tree, one launch for each: a node appends its two children to the next level's queue.
 * Prints ns for all levels; the number in each printed name is the number of levels. */
#include "../blind.h"
__global__ void expand(const unsigned *from, unsigned *to, unsigned *count, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes) {
        unsigned at = atomicAdd(count, 2);
        to[at % (2 * nodes)] = 2 * from[i];
        to[(at + 1) % (2 * nodes)] = 2 * from[i] + 1;
    }
}
int main()
{
    unsigned *queues[2] = {words(1 << 17), words(1 << 17)}, *counts = words(32 * 20);
    for (int levels : {6, 12, 16})
        measure("frontier", levels, 1, [=] {
            for (int l = 0; l < levels; l++)
                expand<<<((1 << l) + 127) / 128, 128>>>(queues[l % 2], queues[(l + 1) % 2], counts + 32 * l,
                                                        1u << l);
        });
}
