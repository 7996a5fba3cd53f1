/* Copies data into shared memory by a bulk copy, changes them there, and copies them back by a bulk copy.
 * Each fence and each wait of the program is needed. */
// expect: right
// expect -DNO_PROXY_FENCE: race "COPY_OUT(out" "stage[threadIdx.x] += 1" "no proxy fence"
// expect -DFENCE_OF_GLOBAL: race "COPY_OUT(out" "stage[threadIdx.x] += 1" "no proxy fence"
// expect -DNO_INIT_FENCE: race "COPY_IN(in" "INITIALIZE(b);" "mbarrier's init"
// expect -DNO_WAIT: race "stage[threadIdx.x] += 1" "a copy of block 0 thread 0" "wait for the copy"
// expect -DNO_READ_WAIT: race "stage[threadIdx.x] = 0" "COPY_OUT(out" "until the copy has read"
// expect -DODD: outside "COPY_IN(in" "multiples of 16"
// expect -DTOO_LONG: outside "COPY_IN(in"
// expect -DBYTES_TOO_MANY: hang "WAIT_FOR(b);"
#include <cstdio>
#define N 64
#ifdef ODD
#define BYTES 250
#else
#define BYTES (N * 4)
#endif
#ifdef TOO_LONG
#define IN_BYTES 64
#else
#define IN_BYTES (N * 4)
#endif
#ifdef BYTES_TOO_MANY
#define EXPECTED (BYTES + 16)
#else
#define EXPECTED BYTES
#endif
#define INITIALIZE(bar) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory")
#define COPY_IN(from)                                                                                        \
    asm volatile(                                                                                            \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s),  \
        "l"(from), "r"((unsigned)BYTES), "r"(b)                                                              \
        : "memory")
#define COPY_OUT(to)                                                                                         \
    asm volatile(                                                                                            \
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), \
        "r"(s), "r"((unsigned)BYTES)                                                                         \
        : "memory")

#define WAIT_FOR(bar)                                                                                        \
    asm volatile(                                                                                            \
        "{ .reg .pred p; LOOP: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra LOOP; }" ::"r"(bar)   \
        : "memory")

__global__ void twice(const int *in, int *out)
{
    __shared__ alignas(128) int stage[N];
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), s = (unsigned)__cvta_generic_to_shared(stage);
    if (threadIdx.x == 0) {
        INITIALIZE(b);
#ifndef NO_INIT_FENCE
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"((unsigned)EXPECTED)
                     : "memory");
        COPY_IN(in);
    }
#ifndef NO_WAIT
    WAIT_FOR(b);
#endif
    stage[threadIdx.x] += 1;
#ifdef FENCE_OF_GLOBAL
    asm volatile("fence.proxy.async.global;" ::: "memory");
#elif !defined(NO_PROXY_FENCE)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        COPY_OUT(out);
#ifndef NO_READ_WAIT
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
    }
    __syncthreads();
    stage[threadIdx.x] = 0;
}

int main()
{
    int *in, *out, h[N];
    cudaMalloc(&in, IN_BYTES);
    cudaMalloc(&out, N * 4);
    for (int i = 0; i < N; i++)
        h[i] = i;
    cudaMemcpy(in, h, IN_BYTES, cudaMemcpyHostToDevice);
    twice<<<1, N>>>(in, out);
    cudaMemcpy(h, out, N * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        if (h[i] != i + 1) {
            printf("%d: %d\n", i, h[i]);
            return 1;
        }
    return 0;
}
