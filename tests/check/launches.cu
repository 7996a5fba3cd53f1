/* The same additions in 50 launches and, as one_launch.cu, in one (docs/predict.md, tests/predict). */
#ifndef LAUNCHES
#define LAUNCHES 50
#endif

__global__ void add(int *out, int times)
{
    for (int i = 0; i < times; i++)
        atomicAdd(out, 1 + *(volatile int *)out);
}

int main(int argc, char **argv)
{
    int *out;
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    for (int i = 0; i < LAUNCHES; i++)
        add<<<1, 1>>>(out, 50 / LAUNCHES);
    return cudaDeviceSynchronize() || argc > 1;
}
