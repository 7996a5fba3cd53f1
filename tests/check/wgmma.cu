/* A warpgroup multiplies tiles that its threads write to shared memory in turn. wgmma reads them as the
 * asynchronous proxy does, until the wait for its group. Each fence, wait and barrier is needed. nvcc
 * compiles wgmma for sm_90a alone, which gpusync-check finds out. */
// expect: right
// expect -arch=sm_90a -DOF_90A: right
// expect -gencode arch=compute_90a,code=sm_90a -DOF_90A: right
// expect -DNO_PROXY_FENCE: race "MULTIPLY(d, desc" "a[b][i] =" "no proxy fence"
// expect -DNO_BARRIER: race "MULTIPLY(d, desc" "a[b][i] ="
// expect -DNO_WAIT: race "a[b][i] =" "MULTIPLY(d, desc" "(of wgmma: "
// expect -DBUFFERS=1: race "a[b][i] =" "MULTIPLY(d, desc" "(of wgmma: "
// expect -DSTRIDE=16384: outside "MULTIPLY(d, desc" "byte 11776"
#include "tools/bugs/bug.h"
#include "tools/bugs/copies.h"

#include <cuda_fp16.h>

#if defined OF_90A && defined __CUDA_ARCH__ && !defined __CUDA_ARCH_FEAT_SM90_ALL
#error "The code is not compiled for sm_90a."
#endif
#ifndef BUFFERS
#define BUFFERS 2
#endif
#ifndef STRIDE /* the distance in bytes from 8 rows of A to the next */
#define STRIDE 128
#endif
enum { TILES = 4, THREADS = 128, M = 64, N = 8, K = 16 };

#define MULTIPLY(d, a, b)                                                                                    \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "                                        \
                 "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"                                                  \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                            \
                 : "l"(a), "l"(b)                                                                            \
                 : "memory")

/* A matrix without a swizzle: 8 rows of 16 bytes follow each other, then the next 8, then the other half of
 * k. */
__device__ unsigned long long descriptor(const half *matrix, int rows, int stride)
{
    return SHARED(matrix) / 16 | (unsigned long long)rows << 16 | (unsigned long long)(stride / 16) << 32;
}

__global__ void multiply(float *out)
{
    __shared__ alignas(128) half a[BUFFERS][M * K], b_of_all[BUFFERS][N * K];
    float d[4] = {0, 0, 0, 0};
    for (int t = 0; t < TILES; t++) {
        const int b = t % BUFFERS;
        for (int i = threadIdx.x; i < M * K; i += THREADS)
            a[b][i] = t + 1;
        b_of_all[b][threadIdx.x] = 1;
#ifndef NO_PROXY_FENCE
        FENCE_PROXY(".shared::cta");
#endif
#ifndef NO_BARRIER
        __syncthreads();
#endif
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        MULTIPLY(d, descriptor(a[b], M, STRIDE), descriptor(b_of_all[b], N, 128));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef NO_WAIT
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
#endif
#ifndef NO_BARRIER
        __syncthreads();
#endif
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = d[i];
}

int main()
{
    float *out = new_zeros<float>(THREADS * 4);
    multiply<<<1, THREADS>>>(out);
    return is_wrong(out, THREADS * 4, [](int) { return K * TILES * (TILES + 1) / 2; });
}
