/* A copy or a memset past the end of an array is reported with its line, also by a few bytes.
 * tests/machine_calls.cu has calls of all kinds that end there. */
// expect: right
// expect -DTO_DEVICE: outside "cudaMemcpy(a, host" "writes bytes 0 to 103" "which has 100"
// expect -DDEFAULT: outside "cudaMemcpy(a + 100" "writes bytes 100 to 100 of a ("
// expect -DFAR: outside "cudaMemcpy(a, host" "writes bytes 0 to 1048675 of a ("
// expect -DFREED: outside "cudaMemcpy(a, host" "no memory of the device"
// expect -DTO_VARIABLE: outside "cudaMemcpy(of_cells" "bytes 0 to 40 of cells, which has 40 bytes"
// expect -DSYMBOL: outside "cudaMemcpyToSymbol(cells, host, 33" "bytes 8 to 40 of cells, which has 40 bytes"
// expect -DWIDE: outside "*(int *)(p + n - 3) = 1" "a[24] (allocated at"
#include <cstdlib>
#include <cstring>

__device__ int cells[10];

__global__ void fill(char *p, int n)
{
#ifdef WIDE
    *(int *)(p + n - 3) = 1;
#else
    p[n - 1] = 1;
#endif
}

int main()
{
    static char host[2 << 20];
    char *a, *b, *pinned;
    const int n = 100;
    cudaMalloc(&a, n);
    cudaMalloc(&b, n);
    cudaMallocHost(&pinned, n - 1);
    memset(pinned, 0, n - 1);
#ifdef FREED
    cudaFree(a);
#endif
    int more = 0;
#ifdef TO_DEVICE
    more = 4;
#elif defined(FAR)
    more = 1 << 20;
#endif
    cudaMemcpy(a, host, n + more, cudaMemcpyHostToDevice);
    fill<<<1, 1>>>(a, n);
    cudaDeviceSynchronize();
    cudaMemset(b, 0, n);
    cudaMemcpy(host, a, n, cudaMemcpyDeviceToHost);
    cudaMemcpyToSymbol(cells, host, 32, 8);
#ifdef DEFAULT
    cudaMemcpy(a + 100, host, 1, cudaMemcpyDefault);
#elif defined(TO_VARIABLE)
    void *of_cells;
    cudaGetSymbolAddress(&of_cells, cells);
    cudaMemcpy(of_cells, host, 41, cudaMemcpyHostToDevice);
#elif defined(SYMBOL)
    cudaMemcpyToSymbol(cells, host, 33, 8);
#else
    cudaMemcpy2D(a, 30, host, 40, 10, 4, cudaMemcpyHostToDevice);
    cudaMemset2D(a, 30, 0, 10, 4);
    cudaMemcpy(a, pinned, n - 1, cudaMemcpyHostToDevice);
    cudaMemcpy(host, a + n, 0, cudaMemcpyDefault);
    cudaMemcpyFromSymbol(host, cells, 40);
    for (int bytes = n; bytes < 1 << 16; bytes *= 2) /* the system may place these after a variable of PTX */
        cudaMemcpy(malloc(bytes), a, n, cudaMemcpyDeviceToHost);
#endif
    return cudaDeviceSynchronize();
}
