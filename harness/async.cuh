/*
 * Asynchronous copies, clusters, and mbarriers that the blocks of a cluster share. On GPUs they are
 * instructions since compute capability 9.0 (PTX ISA, "Asynchronous copy operations", "Cluster barriers");
 * the memory machine has the same operations. On an older GPU these functions do nothing, and variants that
 * need them are not offered. Only small copies work there: they are asynchronous since compute capability
 * 8.0, and plain copies on GPUs before that. An address of shared memory is a number of 32 bits.
 */
#ifndef HARNESS_ASYNC_CUH
#define HARNESS_ASYNC_CUH

#include "harness/mbarrier.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SM90(...) __VA_ARGS__
#else
#define SM90(...)
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define SM80(...) __VA_ARGS__
#else
#define SM80(...)
#endif

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    SM90(return (unsigned)__cvta_generic_to_shared(p);)
    return p != nullptr;
}
static __device__ __forceinline__ unsigned shared_address_in(unsigned address, unsigned rank)
{
    SM90(asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));)
    (void)rank;
    return address;
}

static __device__ __forceinline__ void fence_proxy_async()
{
    SM90(asm volatile("fence.proxy.async;" ::: "memory");)
}
static __device__ __forceinline__ void fence_proxy_async_shared()
{
    SM90(asm volatile("fence.proxy.async.shared::cta;" ::: "memory");)
}

static __device__ __forceinline__ void bulk_store(void *to, unsigned from, unsigned bytes)
{
    SM90(asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                      "cp.async.bulk.commit_group;"
                      :
                      : "l"(to), "r"(from), "r"(bytes)
                      : "memory");)
    (void)to, (void)from, (void)bytes;
}
static __device__ __forceinline__ void bulk_wait_read()
{
    SM90(asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");)
}
static __device__ __forceinline__ void bulk_wait()
{
    SM90(asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");)
}

static __device__ __forceinline__ void bulk_load(unsigned to, const void *from, unsigned bytes,
                                                 unsigned barrier)
{
    SM90(
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     :
                     : "r"(to), "l"(from), "r"(bytes), "r"(barrier)
                     : "memory");)
    (void)to, (void)from, (void)bytes, (void)barrier;
}

static __device__ __forceinline__ void small_copy_16(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *(uint4 *)to = *(const uint4 *)from;
#endif
}
static __device__ __forceinline__ void small_copies_commit()
{
    SM80(asm volatile("cp.async.commit_group;" ::: "memory");)
}
static __device__ __forceinline__ void small_copies_wait()
{
    SM80(asm volatile("cp.async.wait_group 0;" ::: "memory");)
}

typedef unsigned long long cache_policy;
static __device__ __forceinline__ cache_policy loaded_once()
{
    cache_policy policy = 0;
    SM90(asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));)
    return policy;
}
static __device__ __forceinline__ void bulk_load(unsigned to, const void *from, unsigned bytes,
                                                 unsigned barrier, cache_policy policy)
{
    SM90(asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                      "[%0], [%1], %2, [%3], %4;"
                      :
                      : "r"(to), "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
                      : "memory");)
    (void)to, (void)from, (void)bytes, (void)barrier, (void)policy;
}

static __device__ __forceinline__ void mbarrier_arrive_expecting(unsigned barrier, unsigned bytes)
{
    SM90(asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                      :
                      : "r"(barrier), "r"(bytes)
                      : "memory");)
    (void)barrier, (void)bytes;
}

static __device__ __forceinline__ void cluster_arrive()
{
    SM90(asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");)
}
static __device__ __forceinline__ void cluster_wait()
{
    SM90(asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");)
}
static __device__ __forceinline__ void store_in_cluster(unsigned to, uint4 value)
{
    SM90(asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};"
                      :
                      : "r"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
                      : "memory");)
    (void)to, (void)value;
}
static __device__ __forceinline__ void mbarrier_arrive_in_cluster(unsigned barrier)
{
    SM90(asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                      :
                      : "r"(barrier)
                      : "memory");)
    (void)barrier;
}
static __device__ __forceinline__ bool mbarrier_try_wait_in_cluster(unsigned barrier, unsigned parity)
{
    unsigned done = 1;
    SM90(asm volatile("{ .reg .pred p;\n"
                      "  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                      "  selp.u32 %0, 1, 0, p; }"
                      : "=r"(done)
                      : "r"(barrier), "r"(parity)
                      : "memory");)
    (void)barrier, (void)parity;
    return done != 0;
}
static __device__ __forceinline__ void store_async_in_cluster(unsigned to, uint4 value, unsigned barrier)
{
    SM90(asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, "
                      "%4}, [%5];"
                      :
                      : "r"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
                      : "memory");)
    (void)to, (void)value, (void)barrier;
}

#endif
