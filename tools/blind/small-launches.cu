/* Launches of kernels that do little, one after the other. Prints ns per launch; the number in each printed
 * name is the number of blocks. */
#include "blind.h"
__global__ void add_one(unsigned *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x]++;
}
int main()
{
    unsigned *data = words(132 * 1024);
    for (int blocks : {1, 132, 1056})
        measure("small-launches", blocks, 20, [=] {
            for (int i = 0; i < 20; i++)
                add_one<<<blocks, 128>>>(data);
        });
}
