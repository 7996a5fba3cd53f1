/*
 * What a CUDA C kernel sees on the memory machine: the language extensions as macros, the built-in
 * variables and device functions as calls into the machine. Loads and stores need nothing here: the
 * compiler's thread-sanitizer instrumentation reports each of them (machine/hooks.c).
 */
#ifndef CUDA_MACHINE_H
#define CUDA_MACHINE_H

#include "machine/kernel_calls.h"
#include "machine/runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
/* One copy for all blocks, in a section of its own: the machine exchanges it when another block
 * runs. */
#define __shared__ static __attribute__((section("machine_shared")))

typedef machine_index uint3;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct __attribute__((aligned(8))) float2 {
    float x, y;
};
static inline __attribute__((always_inline, unused)) float2 make_float2(float x, float y)
{
    float2 value = {x, y};
    return value;
}
struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};
static inline __attribute__((always_inline, unused)) float4 make_float4(float x, float y, float z, float w)
{
    float4 value = {x, y, z, w};
    return value;
}
struct __attribute__((aligned(16))) int4 {
    int x, y, z, w;
};
static inline __attribute__((always_inline, unused)) int4 make_int4(int x, int y, int z, int w)
{
    int4 value = {x, y, z, w};
    return value;
}
struct __attribute__((aligned(8))) uint2 {
    unsigned x, y;
};
static inline __attribute__((always_inline, unused)) uint2 make_uint2(unsigned x, unsigned y)
{
    uint2 value = {x, y};
    return value;
}
struct __attribute__((aligned(16))) uint4 {
    unsigned x, y, z, w;
};
static inline __attribute__((always_inline, unused)) uint4 make_uint4(unsigned x, unsigned y, unsigned z,
                                                                      unsigned w)
{
    uint4 value = {x, y, z, w};
    return value;
}

#define threadIdx machine_thread_index()
#define blockIdx machine_block_index()
#define blockDim machine_block_dim()
#define gridDim machine_grid_dim()
#define warpSize machine_warp_size()

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
/* fence.sc since Volta, at the scope of the name. */
MACHINE_DEVICE void __threadfence_block()
{
    machine_fence(SCOPE_BLOCK, ORDER_SEQUENTIAL);
}
MACHINE_DEVICE void __threadfence()
{
    machine_fence(SCOPE_DEVICE, ORDER_SEQUENTIAL);
}
MACHINE_DEVICE void __threadfence_system()
{
    machine_fence(SCOPE_SYSTEM, ORDER_SEQUENTIAL);
}
MACHINE_DEVICE long long clock64()
{
    return machine_clock();
}

/* Relaxed, at the scope of the name. */
#define MACHINE_ATOMICS(suffix, scope)                                                                       \
    MACHINE_DEVICE unsigned atomicAdd##suffix(unsigned *p, unsigned v)                                       \
    {                                                                                                        \
        return machine_atomic_add_32(p, v, scope, ORDER_RELAXED);                                            \
    }                                                                                                        \
    MACHINE_DEVICE int atomicAdd##suffix(int *p, int v)                                                      \
    {                                                                                                        \
        return (int)machine_atomic_add_32(p, (uint32_t)v, scope, ORDER_RELAXED);                             \
    }                                                                                                        \
    MACHINE_DEVICE unsigned long long atomicAdd##suffix(unsigned long long *p, unsigned long long v)         \
    {                                                                                                        \
        return machine_atomic_add_64(p, v, scope, ORDER_RELAXED);                                            \
    }                                                                                                        \
    MACHINE_DEVICE unsigned atomicMax##suffix(unsigned *p, unsigned v)                                       \
    {                                                                                                        \
        return machine_atomic_max_32(p, v, scope, ORDER_RELAXED);                                            \
    }                                                                                                        \
    MACHINE_DEVICE unsigned atomicExch##suffix(unsigned *p, unsigned v)                                      \
    {                                                                                                        \
        return machine_atomic_exchange_32(p, v, scope, ORDER_RELAXED);                                       \
    }                                                                                                        \
    MACHINE_DEVICE unsigned atomicCAS##suffix(unsigned *p, unsigned expected, unsigned v)                    \
    {                                                                                                        \
        return machine_atomic_compare_swap_32(p, expected, v, scope, ORDER_RELAXED);                         \
    }
MACHINE_ATOMICS(_block, SCOPE_BLOCK)
MACHINE_ATOMICS(, SCOPE_DEVICE)
MACHINE_ATOMICS(_system, SCOPE_SYSTEM)
#undef MACHINE_ATOMICS

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
MACHINE_DEVICE unsigned long long __shfl_sync(unsigned mask, unsigned long long value, int source)
{
    return machine_shuffle(mask, value, source);
}
MACHINE_DEVICE unsigned long long __shfl_up_sync(unsigned mask, unsigned long long value, unsigned delta)
{
    int lane = machine_lane(), source = lane - (int)delta;
    return machine_shuffle(mask, value, source < 0 ? lane : source);
}
MACHINE_DEVICE double __shfl_sync(unsigned mask, double value, int source)
{
    return machine_from_bits(machine_shuffle(mask, machine_bits(value), source));
}
MACHINE_DEVICE double __shfl_up_sync(unsigned mask, double value, unsigned delta, int width = 32)
{
    int lane = machine_lane(), source = lane - (int)delta;
    return machine_from_bits(
        machine_shuffle(mask, machine_bits(value), source < lane / width * width ? lane : source));
}
MACHINE_DEVICE double __shfl_down_sync(unsigned mask, double value, unsigned delta, int width = 32)
{
    int lane = machine_lane(), source = lane + (int)delta;
    return machine_from_bits(
        machine_shuffle(mask, machine_bits(value), source >= (lane / width + 1) * width ? lane : source));
}
MACHINE_DEVICE double __shfl_xor_sync(unsigned mask, double value, int lane_mask)
{
    return machine_from_bits(machine_shuffle(mask, machine_bits(value), machine_lane() ^ lane_mask));
}
MACHINE_DEVICE float __shfl_sync(unsigned mask, float value, int source)
{
    return (float)__shfl_sync(mask, (double)value, source);
}
MACHINE_DEVICE float __shfl_up_sync(unsigned mask, float value, unsigned delta, int width = 32)
{
    return (float)__shfl_up_sync(mask, (double)value, delta, width);
}
MACHINE_DEVICE float __shfl_down_sync(unsigned mask, float value, unsigned delta, int width = 32)
{
    return (float)__shfl_down_sync(mask, (double)value, delta, width);
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

/* The bits from number `shift`, below 32, of high and low in a row. */
MACHINE_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
/* The sum of products of the four bytes of each, and of c. */
MACHINE_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int byte = 0; byte < 32; byte += 8)
        c += (a >> byte & 255) * (b >> byte & 255);
    return c;
}
/* Four of the eight bytes of low and high in a row, chosen by the hexadecimal digits of the selector. */
MACHINE_DEVICE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    uint64_t bytes = (uint64_t)high << 32 | low;
    unsigned chosen = 0;
    for (int byte = 0; byte < 4; byte++)
        chosen |= (unsigned)(bytes >> 8 * (selector >> 4 * byte & 7) & 255) << 8 * byte;
    return chosen;
}
/* The number of the lowest bit that is set, from 1 on, or 0. */
MACHINE_DEVICE int __ffs(int bits)
{
    return __builtin_ffs(bits);
}
MACHINE_DEVICE int __viaddmax_s32(int a, int b, int c)
{
    return a + b > c ? a + b : c;
}
MACHINE_DEVICE int __viaddmin_s32(int a, int b, int c)
{
    return a + b < c ? a + b : c;
}
MACHINE_DEVICE int __vimax3_s32(int a, int b, int c)
{
    int larger = a > b ? a : b;
    return larger > c ? larger : c;
}
MACHINE_DEVICE float __fdividef(float dividend, float divisor)
{
    return dividend / divisor;
}

/* Pairs of 16-bit numbers, and maxima of three (DPX). */
MACHINE_DEVICE unsigned machine_halves(int low, int high)
{
    return (unsigned)high << 16 | ((unsigned)low & 0xffff);
}
MACHINE_DEVICE int machine_low(unsigned pair)
{
    return (short)(pair & 0xffff);
}
MACHINE_DEVICE int machine_high(unsigned pair)
{
    return (short)(pair >> 16);
}
MACHINE_DEVICE unsigned __vadd2(unsigned a, unsigned b)
{
    return machine_halves(machine_low(a) + machine_low(b), machine_high(a) + machine_high(b));
}
MACHINE_DEVICE unsigned __vmaxs2(unsigned a, unsigned b)
{
    return machine_halves(machine_low(a) > machine_low(b) ? machine_low(a) : machine_low(b),
                          machine_high(a) > machine_high(b) ? machine_high(a) : machine_high(b));
}
MACHINE_DEVICE unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__vmaxs2(a, b), c);
}
MACHINE_DEVICE unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__vadd2(a, b), c);
}
MACHINE_DEVICE unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c)
{
    return __vmaxs2(__viaddmax_s16x2(a, b, c), 0);
}

/* Ends the program: a kernel found its contract broken. */
MACHINE_DEVICE void __trap()
{
    __builtin_trap();
}

#undef MACHINE_DEVICE

/* ---- for the host: launches ---- */

enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        int cooperative, programmaticStreamSerializationAllowed;
    } val;
};
/* gridDim and blockDim are macros here: as members they are these functions. */
struct cudaLaunchConfig_t {
    dim3 grid, block;
    dim3 &machine_grid_dim() { return grid; }
    dim3 &machine_block_dim() { return block; }
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

template <class Closure>
static void machine_call(const void *closure)
{
    (*static_cast<const Closure *>(closure))();
}

template <class... Parameters, class... Arguments>
static cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                      Arguments... arguments)
{
    auto closure = [=] { kernel(arguments...); };
    const dim3 &grid = config->grid, &block = config->block;
    machine_launch launch = {machine_call<decltype(closure)>,
                             (const void *)kernel,
                             &closure,
                             sizeof closure,
                             {grid.x, grid.y, grid.z},
                             {block.x, block.y, block.z},
                             config->dynamicSmemBytes,
                             0,
                             0};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            launch.cooperative = config->attrs[i].val.cooperative;
        if (config->attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
            launch.programmatic = config->attrs[i].val.programmaticStreamSerializationAllowed;
    }
    return machine_launch_kernel(&launch, config->stream);
}

#endif
