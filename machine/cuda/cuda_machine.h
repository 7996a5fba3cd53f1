/* Included by CUDA C kernels on the memory machine: the language extensions as macros, the built-in
 * variables and device functions as calls into the machine. Loads and stores need no definitions here: the
 * compiler's thread-sanitizer instrumentation reports each of them (machine/cuda/hooks.c). */
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
/* A __shared__ variable has one address for all blocks, in a section of its own. Before a block uses its
 * variables, the machine exchanges the section's content. */
#define __shared__ static __attribute__((section("machine_shared")))

typedef machine_index uint3;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
#include "machine/cuda/vectors.h"

#define threadIdx machine_thread_index()
#define blockIdx machine_block_index()
#define blockDim machine_block_dim()
#define gridDim machine_grid_dim()
#define warpSize machine_warp_size()

/* Device functions are always inlined, so that a call's return address identifies the kernel's instruction
 * that makes it. */
#define MACHINE_DEVICE static inline __attribute__((always_inline, unused))

/* Functions that number the threads of a block and the blocks of a grid, for shapes with up to three
 * dimensions, as cooperative groups do. */
MACHINE_DEVICE unsigned machine_threads_in_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
MACHINE_DEVICE unsigned machine_thread_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
MACHINE_DEVICE bool machine_is_block_leader()
{
    return (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
}
MACHINE_DEVICE unsigned machine_blocks_in_grid()
{
    return gridDim.x * gridDim.y * gridDim.z;
}
MACHINE_DEVICE unsigned machine_block_in_grid()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

MACHINE_DEVICE void __syncthreads()
{
    machine_syncthreads();
}
MACHINE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu)
{
    machine_syncwarp(mask);
}
/* A __threadfence is fence.sc since Volta, at the scope in its name. */
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

/* Programmatic dependent launch: tells the GPU that the dependent kernel may begin. The call does
 * nothing here, because on the machine a kernel has ended before its dependent kernel begins. */
MACHINE_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {}
MACHINE_DEVICE void cudaGridDependencySynchronize()
{
    machine_await_kernel_before();
}

/* The old value of an atomic operation. If the program uses the value, the conversion to it executes the
 * operation. Otherwise the operation is executed at the end of the statement, and its thread does not wait
 * for it, as nvcc replaces ATOM by RED. */
template <class Value, class Operation>
struct machine_old_value {
    Operation operation;
    bool asked = false;

    __attribute__((always_inline)) operator Value()
    {
        asked = true;
        return (Value)operation();
    }
    __attribute__((always_inline)) ~machine_old_value()
    {
        if (!asked) {
            machine_ask_for_no_value();
            operation();
        }
    }
};
/* Programs that check/ runs may use the old value of an atomic twice, so each atomic is executed at once. */
#ifdef MACHINE_EAGER_ATOMICS
#define MACHINE_OLD_VALUE(type, call) return (type)call
#else
#define MACHINE_OLD_VALUE(type, call)                                                                        \
    auto operation = [=]() __attribute__((always_inline))                                                    \
    {                                                                                                        \
        return call;                                                                                         \
    };                                                                                                       \
    return machine_old_value<type, decltype(operation)>                                                      \
    {                                                                                                        \
        operation                                                                                            \
    }
#endif

/* Atomics are relaxed. The suffix of an atomic's name gives its scope. */
#define MACHINE_ATOMICS(suffix, scope)                                                                       \
    MACHINE_DEVICE auto atomicAdd##suffix(unsigned *p, unsigned v)                                           \
    {                                                                                                        \
        MACHINE_OLD_VALUE(unsigned, machine_atomic_add_32(p, v, scope, ORDER_RELAXED));                      \
    }                                                                                                        \
    MACHINE_DEVICE auto atomicAdd##suffix(int *p, int v)                                                     \
    {                                                                                                        \
        MACHINE_OLD_VALUE(int, machine_atomic_add_32(p, (uint32_t)v, scope, ORDER_RELAXED));                 \
    }                                                                                                        \
    MACHINE_DEVICE auto atomicAdd##suffix(unsigned long long *p, unsigned long long v)                       \
    {                                                                                                        \
        MACHINE_OLD_VALUE(unsigned long long, machine_atomic_add_64(p, v, scope, ORDER_RELAXED));            \
    }                                                                                                        \
    MACHINE_DEVICE auto atomicMax##suffix(unsigned *p, unsigned v)                                           \
    {                                                                                                        \
        MACHINE_OLD_VALUE(unsigned, machine_atomic_max_32(p, v, scope, ORDER_RELAXED));                      \
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

/* Shuffles and votes. Conversions that a CPU needs and a GPU does not come after the machine's function,
 * because the machine does not count instructions there. */
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
MACHINE_DEVICE unsigned machine_float_bits(float value)
{
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}
MACHINE_DEVICE float machine_float(uint64_t bits_and_zeros)
{
    unsigned bits = (unsigned)bits_and_zeros;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
#define MACHINE_SHUFFLE(type, name, lane_type, mode, to_bits, from_bits)                                     \
    MACHINE_DEVICE type name(unsigned mask, type value, lane_type lane, int width = 32)                      \
    {                                                                                                        \
        return from_bits(machine_shuffle(mask, to_bits(value), mode, (int)lane, width));                     \
    }
#define MACHINE_SHUFFLES(type, to_bits, from_bits)                                                           \
    MACHINE_SHUFFLE(type, __shfl_sync, int, SHUFFLE_INDEX, to_bits, from_bits)                               \
    MACHINE_SHUFFLE(type, __shfl_up_sync, unsigned, SHUFFLE_UP, to_bits, from_bits)                          \
    MACHINE_SHUFFLE(type, __shfl_down_sync, unsigned, SHUFFLE_DOWN, to_bits, from_bits)                      \
    MACHINE_SHUFFLE(type, __shfl_xor_sync, int, SHUFFLE_XOR, to_bits, from_bits)
MACHINE_SHUFFLES(unsigned, , (unsigned))
MACHINE_SHUFFLES(int, (unsigned), (int)(unsigned))
MACHINE_SHUFFLES(unsigned long long, , )
MACHINE_SHUFFLES(double, machine_bits, machine_from_bits)
MACHINE_SHUFFLES(float, machine_float_bits, machine_float)
#undef MACHINE_SHUFFLE
#undef MACHINE_SHUFFLES
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

/* Returns bits [shift, shift + 32) of the 64-bit number high:low, with `shift` taken modulo 32. */
MACHINE_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
MACHINE_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    return machine_dp4a(a, b, c);
}
MACHINE_DEVICE int __dp2a_lo(int a, int b, int c)
{
    return (int)machine_dp2a((unsigned)a, (unsigned)b, (unsigned)c);
}
MACHINE_DEVICE int __dp2a_hi(int a, int b, int c)
{
    return (int)machine_dp2a((unsigned)a, (unsigned)b >> 16, (unsigned)c);
}
MACHINE_DEVICE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    return machine_byte_perm(low, high, selector);
}
/* Returns the number of the lowest set bit, counted from 1, or 0 if no bit is set. */
MACHINE_DEVICE int __ffs(int bits)
{
    return __builtin_ffs(bits);
}
MACHINE_DEVICE int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
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

/* Arithmetic on pairs of 16-bit numbers, and maxima of three numbers (DPX). */
MACHINE_DEVICE unsigned __vadd2(unsigned a, unsigned b)
{
    return machine_add_pairs(a, b);
}
MACHINE_DEVICE unsigned __vmaxs2(unsigned a, unsigned b)
{
    return machine_max_pairs(a, b, b);
}
MACHINE_DEVICE unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c)
{
    return machine_max_pairs(a, b, c);
}
MACHINE_DEVICE unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c)
{
    return machine_add_max_pairs(a, b, c, c);
}
MACHINE_DEVICE unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c)
{
    return machine_add_max_pairs(a, b, c, 0);
}

/* Ends the program, because a kernel found that its contract is broken. */
MACHINE_DEVICE void __trap()
{
    __builtin_trap();
}

#undef MACHINE_DEVICE

/* ---- for host code: launches ---- */

enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        int cooperative, programmaticStreamSerializationAllowed;
        struct {
            unsigned x, y, z;
        } clusterDim;
    } val;
};
/* gridDim and blockDim are macros in the suite's kernels, for which the members are these member
 * functions. */
#pragma push_macro("gridDim")
#pragma push_macro("blockDim")
#undef gridDim
#undef blockDim
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
    dim3 &machine_grid_dim() { return gridDim; }
    dim3 &machine_block_dim() { return blockDim; }
};

template <class Closure>
static void machine_call(const void *closure)
{
    (*static_cast<const Closure *>(closure))();
}

/* Describes the launch of a closure, which must live until the launch has been made. */
template <class Closure>
static machine_launch machine_launch_of(const Closure &closure, const void *kernel, dim3 grid, dim3 block,
                                        size_t shared_bytes)
{
    return {machine_call<Closure>,
            kernel,
            &closure,
            sizeof closure,
            {grid.x, grid.y, grid.z},
            {block.x, block.y, block.z},
            shared_bytes,
            0,
            0};
}

template <class... Parameters, class... Arguments>
static cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                      Arguments... arguments)
{
    auto closure = [=] { kernel(arguments...); };
    machine_launch launch = machine_launch_of(closure, (const void *)kernel, config->gridDim,
                                              config->blockDim, config->dynamicSmemBytes);
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            launch.cooperative = config->attrs[i].val.cooperative;
        if (config->attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
            launch.programmatic = config->attrs[i].val.programmaticStreamSerializationAllowed;
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            launch.cluster = config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                             config->attrs[i].val.clusterDim.z;
    }
    return machine_launch_kernel(&launch, config->stream);
}
#pragma pop_macro("gridDim")
#pragma pop_macro("blockDim")

#endif
