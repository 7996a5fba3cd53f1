/* NVIDIA/cudf#24249: cub's temporary storage is used again in the next turn of a loop without a barrier.
 * */
// expect: right
// expect -DBROKEN: race "Scan(scan_storage)" ", in cub/block/" "s scan_storage"
#include <cstdio>
#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>

template <int BLOCK>
__global__ void compact(const int *__restrict__ in, int *__restrict__ out, int *__restrict__ count, int n)
{
    /* The barriers in CUB's default algorithm happen to order the two uses; this algorithm's do not. */
    using Scan = cub::BlockScan<int, BLOCK, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage scan_storage;
    int written = 0;
    for (int base = 0; base < n; base += BLOCK) {
        const int i = base + threadIdx.x;
        const int keep = i < n && in[i] % 3 != 0;
        int position, total;
        Scan(scan_storage).ExclusiveSum(keep, position, total);
        if (keep)
            out[written + position] = in[i];
        written += total;
#ifndef BROKEN
        __syncthreads();
#endif
    }
    if (threadIdx.x == 0)
        *count = written;
}

int main()
{
    const int n = 500;
    int host[n], want[n], got[n], count = 0, kept = 0;
    for (int i = 0; i < n; ++i) {
        host[i] = i * 7 % 101;
        if (host[i] % 3 != 0)
            want[kept++] = host[i];
    }
    int *in, *out, *number;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(got));
    cudaMalloc(&number, sizeof(int));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    compact<128><<<1, 128>>>(in, out, number, n);
    cudaMemcpy(&count, number, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
    if (count != kept)
        return 1;
    for (int i = 0; i < kept; ++i)
        if (got[i] != want[i])
            return 1;
    return 0;
}
