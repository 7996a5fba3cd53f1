/* The CUDA Toolkit's libcu++, CUB, Thrust and cuRAND's functions for kernels. What CUB synchronizes is
 * checked, too: the storage of a scan that is used again in the next turn of a loop needs a barrier. */
// expect: right
// expect -DNO_BARRIER: race "scan(storage).InclusiveSum" ", in cub/block/" " storage["
// expect -DNO_BARRIER_OF_SORT: race "storage["
// expect -DNO_ACQUIRE: race "owned[0]++"
// expect -DIN_PLACE: note "cub/block/block_merge_sort.cuh" "thrust/system/cuda/detail/assign_value.h"
// expect -DIN_PLACE -DUNWRITTEN: unwritten "cudaMalloc(&keys" " at cub/"
// expect -DNO_WAIT: race "sum += stage[31 - threadIdx.x]" "a copy of block 0"
#include <cub/cub.cuh>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/semaphore>
#include <cuda/std/span>
#include <curand_kernel.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

typedef cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS> scan;

__global__ void scan_twice(cuda::std::span<int> values)
{
    __shared__ scan::TempStorage storage;
    for (int turn = 0; turn < 2; turn++) {
        int own = values[64 * turn + threadIdx.x];
        scan(storage).InclusiveSum(own, own);
#ifndef NO_BARRIER
        __syncthreads();
#endif
        values[64 * turn + threadIdx.x] = own;
    }
}

typedef cub::BlockRadixSort<int, 64, 1> block_sort;
typedef cub::BlockReduce<int, 64> block_reduce;

__global__ void sort(int *out, int *largest)
{
    __shared__ union {
        block_sort::TempStorage of_sort;
        block_reduce::TempStorage of_reduce;
    } storage;
    curandStatePhilox4_32_10_t random;
    curand_init(7, threadIdx.x, 0, &random);
    int key[1] = {(int)(1000 * curand_uniform(&random))};
    block_sort(storage.of_sort).Sort(key);
    out[threadIdx.x] = key[0];
#ifndef NO_BARRIER_OF_SORT
    __syncthreads();
#endif
    int most = block_reduce(storage.of_reduce).Reduce(key[0], cuda::maximum<>());
    if (threadIdx.x == 0)
        *largest = most;
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> free_now{1};

__global__ void take_turns(int *owned)
{
#ifndef NO_ACQUIRE
    free_now.acquire();
#endif
    owned[0]++;
    free_now.release();
}

__global__ void copy(const int *in, int *out)
{
    __shared__ int stage[32];
    int sum = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[threadIdx.x], in + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
#ifndef NO_WAIT
    pipe.consumer_wait();
#endif
    __syncthreads();
    sum += stage[31 - threadIdx.x];
    pipe.consumer_release();
    cuda::ptx::fence_proxy_async();
    out[threadIdx.x] = sum;
}

/* Kernels of the toolkit that read shared memory which nobody has written, and that overwrite in place what
 * another block has read. UNWRITTEN, the mistake is the caller's. */
#ifdef IN_PLACE
#include <thrust/unique.h>
static bool sort_in_place()
{
    const int n = 3000;
    int *keys;
    void *storage;
    size_t bytes = 0;
    cudaMalloc(&keys, n * sizeof *keys);
#ifndef UNWRITTEN
    thrust::sequence(thrust::device_pointer_cast(keys), thrust::device_pointer_cast(keys) + n, n, -1);
#endif
    cub::DeviceMergeSort::SortKeys(nullptr, bytes, keys, n, cuda::std::less<int>());
    cudaMalloc(&storage, bytes);
    cub::DeviceMergeSort::SortKeys(storage, bytes, keys, n, cuda::std::less<int>());
    auto first = thrust::device_pointer_cast(keys), last = thrust::unique(first, first + n);
    bool good = last - first == n && first[0] == 1;
    cudaFree(keys);
    cudaFree(storage);
    return good;
}
#endif

int main()
{
#ifdef IN_PLACE
    return !sort_in_place();
#endif
    thrust::device_vector<int> values(128, 1), owned(1, 0), copied(32);
    int *first = thrust::raw_pointer_cast(values.data());
    scan_twice<<<1, 64>>>(cuda::std::span<int>(first, 128));
    take_turns<<<3, 1>>>(thrust::raw_pointer_cast(owned.data()));
    /* Thrust's accesses to a device vector wait for the kernels before them */
    bool good = values[63] == 64 && values[127] == 64 && owned[0] == 3;
    thrust::sequence(values.begin(), values.end());
    copy<<<1, 32>>>(first, thrust::raw_pointer_cast(copied.data()));
    try {
        throw thrust::system_error(cudaErrorInvalidValue, thrust::cuda_category());
    } catch (const thrust::system_error &error) {
        good = good && error.code().value() == cudaErrorInvalidValue;
    }
    thrust::device_vector<int> sorted(65);
    sort<<<1, 64>>>(thrust::raw_pointer_cast(sorted.data()), thrust::raw_pointer_cast(sorted.data()) + 64);
    for (int i = 1; i < 65; i++)
        good = good && sorted[i - 1] <= sorted[i];
    good = good && sorted[0] >= 0 && sorted[0] < sorted[32] && sorted[32] < sorted[64] && sorted[64] <= 1000;
    return good && copied[0] == 31 && thrust::reduce(values.begin(), values.end()) == 8128 ? 0 : 1;
}
