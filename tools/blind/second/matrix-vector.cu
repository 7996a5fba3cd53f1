/* A matrix of 32-bit numbers times a vector, with a warp for each row. Prints ns per product; the number in
 * each printed name is the number of rows, which is also the number of columns. */
#include "../blind.h"
__global__ void multiply(const unsigned *matrix, const unsigned *vector, unsigned *out, unsigned size)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
    for (unsigned row = warp; row < size; row += warps) {
        unsigned sum = 0;
        for (unsigned c = threadIdx.x % 32; c < size; c += 32)
            sum += matrix[row * size + c] * vector[c];
        for (int d = 16; d; d /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (threadIdx.x % 32 == 0)
            out[row] = sum;
    }
}
int main()
{
    unsigned *matrix = words(512 * 512), *vector = words(512), *out = words(512);
    for (unsigned size : {128u, 256u, 512u})
        measure("matrix-vector", (int)size, 1, [=] { multiply<<<132, 128>>>(matrix, vector, out, size); });
}
