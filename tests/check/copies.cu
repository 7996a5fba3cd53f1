/* A copy or a memset past the end of an array is reported with its line, also by a few bytes. */
// expect: right
// expect -DTO_DEVICE: outside "cudaMemcpy(a, host" "writes bytes 0 to 103" "which has 100"
// expect -DFROM_DEVICE: outside "cudaMemcpy(host, a, n + 1" "reads bytes 0 to 100" "which has 100"
// expect -DBETWEEN: outside "cudaMemcpy(b, a" "reads bytes 1 to 100 of a ("
// expect -DASYNC: outside "cudaMemcpyAsync(a, host" "writes bytes 0 to 351 of a ("
// expect -DDEFAULT: outside "cudaMemcpy(a + 100" "writes bytes 100 to 100 of a ("
// expect -DPINNED: outside "cudaMemcpy(a, pinned" "reads bytes 0 to 99 of pinned" "which has 99"
// expect -DMEMSET: outside "cudaMemset(a," "the memset at" "writes bytes 0 to 100 of a ("
// expect -DROWS: outside "cudaMemcpy2D(a," "writes bytes 0 to 100 of a ("
// expect -DSET_ROWS: outside "cudaMemset2D(a," "writes bytes 0 to 100 of a ("
// expect -DFAR: outside "cudaMemcpy(a, host" "writes bytes 0 to 1048675 of a ("
// expect -DFREED: outside "cudaMemcpy(a, host" "no memory of the device"
// expect -DTO_VARIABLE: outside "cudaMemcpy(of_cells" "bytes 0 to 40 of cells, which has 40 bytes"
// expect -DSYMBOL: outside "cudaMemcpyToSymbol(cells, host, 33" "bytes 8 to 40 of cells, which has 40 bytes"
// expect -DGRAPH: outside "cudaGraphAddMemcpyNode1D(" "writes bytes 0 to 100 of a ("
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
#ifdef FROM_DEVICE
    cudaMemcpy(host, a, n + 1, cudaMemcpyDeviceToHost);
#elif defined(BETWEEN)
    cudaMemcpy(b, a + 1, n, cudaMemcpyDeviceToDevice);
#elif defined(ASYNC)
    cudaMemcpyAsync(a, host, n + 252, cudaMemcpyHostToDevice, 0);
#elif defined(DEFAULT)
    cudaMemcpy(a + 100, host, 1, cudaMemcpyDefault);
#elif defined(PINNED)
    cudaMemcpy(a, pinned, n, cudaMemcpyHostToDevice);
#elif defined(MEMSET)
    cudaMemset(a, 0, n + 1);
#elif defined(ROWS)
    cudaMemcpy2D(a, 30, host, 40, 11, 4, cudaMemcpyHostToDevice);
#elif defined(SET_ROWS)
    cudaMemset2D(a, 30, 0, 11, 4);
#elif defined(TO_VARIABLE)
    void *of_cells;
    cudaGetSymbolAddress(&of_cells, cells);
    cudaMemcpy(of_cells, host, 41, cudaMemcpyHostToDevice);
#elif defined(SYMBOL)
    cudaMemcpyToSymbol(cells, host, 33, 8);
#elif defined(GRAPH)
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, a, host, n + 1, cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, 0);
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
