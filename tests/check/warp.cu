/* Uses matches, shuffles of any type, groups, atomics, an event and a stream. tests/ptx/warps.def has the
 * other functions of a warp. */
// expect: right
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ const int weights[4] = {1, 2, 3, 4};

__global__ void warp(unsigned *wrong, double2 *pairs)
{
    unsigned lane = threadIdx.x % 32, all = 0xffffffffu;
    int every = 2, some = 2;
    bool right = __match_all_sync(all, 2.5, &every) == all && every == 1;
    right = right && __match_all_sync(all, lane == 7, &some) == 0 && some == 0;
    right = right && __shfl_xor_sync(all, (double)lane, 1) == (double)(lane ^ 1);
    right = right &&
            __shfl_down_sync(all, (long long)lane, 2, 16) == (long long)(lane % 16 < 14 ? lane + 2 : lane);
    right = right && (__activemask() >> lane & 1) && __ldg(&weights[lane % 4]) == (int)(lane % 4) + 1;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    right = right && tile.thread_rank() == lane % 8 && tile.shfl(lane, 0) == lane / 8 * 8;
    right = right && cg::reduce(tile, 1, cg::plus<int>()) == 8 && __syncthreads_count(1) == (int)blockDim.x;
    pairs[threadIdx.x] = make_double2(lane, 1.0 / (lane + 1));
    __nanosleep(20);
    if (!right)
        atomicAdd(wrong, 1);
    atomicMin((int *)&wrong[1], (int)lane - 5);
    atomicAnd(&wrong[2], ~(1u << lane));
    atomicInc(&wrong[3], 7);
    atomicDec(&wrong[8], 5);
    unsigned old = atomicSub(&wrong[4], 1u), seen = old;
    if (old != seen)
        printf("an atomic that is done twice\n");
    atomicAdd((float *)&wrong[5], 0.5f);
    unsigned long long big = (unsigned long long)atomicCAS((unsigned long long *)&wrong[6], 0ull, 5ull);
    if (big != 0 && big != 5)
        atomicAdd(wrong, 1);
}

int main()
{
    unsigned *wrong;
    double2 *pairs;
    cudaMallocManaged(&wrong, 64);
    cudaMalloc(&pairs, 64 * sizeof *pairs);
    for (int i = 0; i < 16; i++)
        wrong[i] = 0;
    wrong[2] = ~0u, wrong[4] = 64, wrong[8] = 5;
    cudaStream_t stream;
    cudaEvent_t begun, ended;
    cudaStreamCreate(&stream);
    cudaEventCreate(&begun);
    cudaEventCreate(&ended);
    cudaEventRecord(begun, stream);
    warp<<<dim3(1, 1), dim3(64), 0, stream>>>(wrong, pairs);
    cudaEventRecord(ended, stream);
    cudaEventSynchronize(ended);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, begun, ended);
    if (cudaGetLastError() != cudaSuccess)
        return 3;
    printf("%u %d %x %u %u\n", wrong[0], (int)wrong[1], wrong[2], wrong[3], wrong[4]);
    return !(wrong[0] == 0 && (int)wrong[1] == -5 && wrong[2] == 0 && wrong[3] == 0 && wrong[4] == 0 &&
             *(float *)&wrong[5] == 32.0f && wrong[8] == 1);
}
