/*
 * What a CUDA C kernel sees on the memory machine: the language extensions as macros, the built-in
 * variables and device functions as calls into the machine. Loads and stores need nothing here: the
 * compiler's thread-sanitizer instrumentation reports each of them (machine/hooks.c).
 */
#ifndef CUDA_MACHINE_H
#define CUDA_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include "machine/runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
/* One copy for all blocks, in a section of its own: the machine exchanges it when another block runs. */
#define __shared__ static __attribute__((section("machine_shared")))

struct uint3 {
    unsigned x, y, z;
};
struct __attribute__((aligned(8))) float2 {
    float x, y;
};
static inline __attribute__((always_inline, unused)) float2 make_float2(float x, float y)
{
    float2 value = {x, y};
    return value;
}

extern "C" {
/* `const`: a thread keeps its index for life, so the compiler may ask once. By value: a load would be
 * counted. */
uint3 machine_thread_index(void) __attribute__((const));
uint3 machine_block_index(void) __attribute__((const));
uint3 machine_block_dim(void) __attribute__((const));
uint3 machine_grid_dim(void) __attribute__((const));
int machine_warp_size(void) __attribute__((const));
void *machine_dynamic_shared(void) __attribute__((const));

void machine_syncthreads(void);
void machine_syncwarp(uint64_t mask);
uint64_t machine_shuffle(uint64_t mask, uint64_t value, int source_lane);
uint64_t machine_ballot(uint64_t mask, int predicate);
void machine_fence_full(void);
void machine_fence_release(void);
void machine_fence_acquire(void);
long long machine_clock(void);

/*
 * The lock unit (Li 2015, section 3.2), for 4-byte words of shared memory on a machine with lock bits. LDSLK:
 * loads the word, and takes its lock bit if that is free. STSUL: stores the word and frees its bit.
 */
uint32_t machine_lock_load(const void *address, int *acquired);
void machine_store_unlock(void *address, uint32_t value);
/* bar.sync and bar.arrive */
void machine_named_barrier(int barrier, int threads, int wait);
uint64_t machine_mbarrier_arrive(void *address);
/* SSY and the arrival at the point it set; nothing on a machine of independent threads. */
void machine_convergence_set(void);
void machine_convergence_wait(void);

uint32_t machine_atomic_add_32(void *address, uint32_t value);
uint64_t machine_atomic_add_64(void *address, uint64_t value);
uint32_t machine_atomic_max_32(void *address, uint32_t value);
uint32_t machine_atomic_exchange_32(void *address, uint32_t value);
uint32_t machine_atomic_compare_swap_32(void *address, uint32_t expected, uint32_t value);
}

#define threadIdx (machine_thread_index())
#define blockIdx (machine_block_index())
#define blockDim (machine_block_dim())
#define gridDim (machine_grid_dim())
#define warpSize (machine_warp_size())

/* Always inlined, so that the caller's address tells the machine which instruction it is. */
#define MACHINE_DEVICE static inline __attribute__((always_inline, unused))

MACHINE_DEVICE void __syncthreads()
{
    machine_syncthreads();
}
MACHINE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu)
{
    machine_syncwarp(mask);
}
MACHINE_DEVICE void __threadfence()
{
    machine_fence_full();
}
MACHINE_DEVICE void __threadfence_block()
{
    asm volatile("" ::
                     : "memory"); /* a block's threads share one multiprocessor, whose memory has one order */
}
MACHINE_DEVICE long long clock64()
{
    return machine_clock();
}

MACHINE_DEVICE unsigned atomicAdd(unsigned *p, unsigned v)
{
    return machine_atomic_add_32(p, v);
}
MACHINE_DEVICE int atomicAdd(int *p, int v)
{
    return (int)machine_atomic_add_32(p, (uint32_t)v);
}
MACHINE_DEVICE unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return machine_atomic_add_64(p, v);
}
MACHINE_DEVICE unsigned atomicMax(unsigned *p, unsigned v)
{
    return machine_atomic_max_32(p, v);
}
MACHINE_DEVICE unsigned atomicExch(unsigned *p, unsigned v)
{
    return machine_atomic_exchange_32(p, v);
}
MACHINE_DEVICE unsigned atomicCAS(unsigned *p, unsigned expected, unsigned v)
{
    return machine_atomic_compare_swap_32(p, expected, v);
}

MACHINE_DEVICE int machine_lane()
{
    return (int)(threadIdx.x % (unsigned)warpSize);
}

MACHINE_DEVICE unsigned __shfl_sync(unsigned mask, unsigned value, int source, int width = 32)
{
    int base = machine_lane() / width * width;
    return (unsigned)machine_shuffle(mask, value, base + source % width);
}
MACHINE_DEVICE unsigned __shfl_up_sync(unsigned mask, unsigned value, unsigned delta, int width = 32)
{
    int lane = machine_lane(), source = lane - (int)delta;
    return (unsigned)machine_shuffle(mask, value, source < lane / width * width ? lane : source);
}
MACHINE_DEVICE unsigned __shfl_down_sync(unsigned mask, unsigned value, unsigned delta, int width = 32)
{
    int lane = machine_lane(), source = lane + (int)delta;
    return (unsigned)machine_shuffle(mask, value, source >= (lane / width + 1) * width ? lane : source);
}
MACHINE_DEVICE unsigned __shfl_xor_sync(unsigned mask, unsigned value, int lane_mask)
{
    return (unsigned)machine_shuffle(mask, value, machine_lane() ^ lane_mask);
}
MACHINE_DEVICE uint64_t machine_bits(double value)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}
MACHINE_DEVICE double machine_from_bits(uint64_t bits)
{
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
MACHINE_DEVICE int __shfl_sync(unsigned mask, int value, int source)
{
    return (int)__shfl_sync(mask, (unsigned)value, source);
}
MACHINE_DEVICE int __shfl_up_sync(unsigned mask, int value, unsigned delta)
{
    return (int)__shfl_up_sync(mask, (unsigned)value, delta);
}
MACHINE_DEVICE double __shfl_sync(unsigned mask, double value, int source)
{
    return machine_from_bits(machine_shuffle(mask, machine_bits(value), source));
}
MACHINE_DEVICE double __shfl_up_sync(unsigned mask, double value, unsigned delta)
{
    int lane = machine_lane(), source = lane - (int)delta;
    return machine_from_bits(machine_shuffle(mask, machine_bits(value), source < 0 ? lane : source));
}
MACHINE_DEVICE double __shfl_down_sync(unsigned mask, double value, unsigned delta)
{
    int lane = machine_lane(), source = lane + (int)delta;
    return machine_from_bits(machine_shuffle(mask, machine_bits(value), source >= 32 ? lane : source));
}
MACHINE_DEVICE double __shfl_xor_sync(unsigned mask, double value, int lane_mask)
{
    return machine_from_bits(machine_shuffle(mask, machine_bits(value), machine_lane() ^ lane_mask));
}
MACHINE_DEVICE float __shfl_sync(unsigned mask, float value, int source)
{
    return (float)__shfl_sync(mask, (double)value, source);
}
MACHINE_DEVICE float __shfl_up_sync(unsigned mask, float value, unsigned delta)
{
    return (float)__shfl_up_sync(mask, (double)value, delta);
}
MACHINE_DEVICE float __shfl_down_sync(unsigned mask, float value, unsigned delta)
{
    return (float)__shfl_down_sync(mask, (double)value, delta);
}
MACHINE_DEVICE int __shfl_xor_sync(unsigned mask, int value, int lane_mask)
{
    return (int)__shfl_xor_sync(mask, (unsigned)value, lane_mask);
}
MACHINE_DEVICE unsigned long long __shfl_xor_sync(unsigned mask, unsigned long long value, int lane_mask)
{
    return machine_shuffle(mask, value, machine_lane() ^ lane_mask);
}
MACHINE_DEVICE float __shfl_xor_sync(unsigned mask, float value, int lane_mask)
{
    return (float)__shfl_xor_sync(mask, (double)value, lane_mask);
}
MACHINE_DEVICE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return (unsigned)machine_ballot(mask, predicate);
}
MACHINE_DEVICE int __any_sync(unsigned mask, int predicate)
{
    return machine_ballot(mask, predicate) != 0;
}
MACHINE_DEVICE int __all_sync(unsigned mask, int predicate)
{
    return machine_ballot(mask, !predicate) == 0;
}

#undef MACHINE_DEVICE

#endif
