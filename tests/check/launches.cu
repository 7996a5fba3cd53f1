/* Makes 50 additions in 50 launches. one_launch.cu makes the same additions in one launch. */
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
