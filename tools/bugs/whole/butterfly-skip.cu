/* meta-pytorch/torchcomms#3213: a butterfly barrier between GPUs skips partners that do not exist if
 * their number is not a power of two. */
// expect: right
// expect -DBROKEN: wrong "rank 1"
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int MAX_RANKS = 8;
struct Peers {
    unsigned *flags[MAX_RANKS]; // the flags of each rank, [step][from]
    int *data[MAX_RANKS];
};

using SystemFlag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__device__ void nvl_barrier(const Peers &peers, int rank, int ranks, unsigned epoch)
{
    __syncthreads();
    if (threadIdx.x == 0)
        for (int d = 1, step = 0; d < ranks; d <<= 1, ++step) {
#ifndef BROKEN
            const int to = (rank + d) % ranks, from = (rank - d + ranks) % ranks;
#else
            const int to = rank ^ d, from = to;
            if (to >= ranks)
                continue;
#endif
            SystemFlag(peers.flags[to][step * MAX_RANKS + rank]).store(epoch, cuda::memory_order_release);
            SystemFlag incoming(peers.flags[rank][step * MAX_RANKS + from]);
            while (incoming.load(cuda::memory_order_acquire) < epoch) {
            }
        }
    __syncthreads();
}

__global__ void all_gather_sum(Peers peers, int rank, int ranks, int *out)
{
    peers.data[rank][threadIdx.x] = rank + 1;
    nvl_barrier(peers, rank, ranks, 1);
    int sum = 0;
    for (int r = 0; r < ranks; ++r)
        sum += peers.data[r][threadIdx.x];
    out[threadIdx.x] = sum;
}

int main()
{
    constexpr int ranks = 3, width = 32;
    int devices = 0, *out[ranks], got[width];
    cudaStream_t stream[ranks];
    Peers peers{};
    cudaGetDeviceCount(&devices);
    for (int r = 0; r < ranks; ++r) {
        cudaSetDevice(r % devices);
        for (int p = 0; p < devices; ++p)
            if (p != r % devices)
                cudaDeviceEnablePeerAccess(p, 0);
        cudaStreamCreateWithFlags(&stream[r], cudaStreamNonBlocking);
        cudaMalloc(&peers.flags[r], MAX_RANKS * MAX_RANKS * sizeof(unsigned));
        cudaMalloc(&peers.data[r], width * sizeof(int));
        cudaMalloc(&out[r], width * sizeof(int));
        cudaMemset(peers.flags[r], 0, MAX_RANKS * MAX_RANKS * sizeof(unsigned));
        cudaMemset(peers.data[r], 0, width * sizeof(int));
        cudaDeviceSynchronize();
    }
    for (int r = 0; r < ranks; ++r) {
        cudaSetDevice(r % devices);
        all_gather_sum<<<1, width, 0, stream[r]>>>(peers, r, ranks, out[r]);
    }
    for (int r = 0; r < ranks; ++r) {
        cudaSetDevice(r % devices);
        if (cudaStreamSynchronize(stream[r]) != cudaSuccess)
            return 2;
        cudaMemcpy(got, out[r], sizeof(got), cudaMemcpyDeviceToHost);
        for (int g : got)
            if (g != ranks * (ranks + 1) / 2)
                return printf("rank %d: %d\n", r, g), 1;
    }
    return 0;
}
