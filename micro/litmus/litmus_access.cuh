/* The accesses and fences of litmus tests, at each scope and order of PTX. SCOPE_THREAD stands for a weak
 * access. */
#ifndef MICRO_LITMUS_ACCESS_CUH
#define MICRO_LITMUS_ACCESS_CUH

#include "harness/kernel.cuh"
#include "machine/scopes.h"
#include "sync/memory_order.cuh"

#define LITMUS_LOADS(order, text, scope, name)                                                               \
    case (order) << 2 | (scope):                                                                             \
        asm volatile("ld." text "." name ".global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");         \
        break;
#define LITMUS_STORES(order, text, scope, name)                                                              \
    case (order) << 2 | (scope):                                                                             \
        asm volatile("st." text "." name ".global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");           \
        break;
#define LITMUS_ADDS(order, text, scope, name)                                                                \
    case (order) << 2 | (scope):                                                                             \
        asm volatile("atom." text "." name ".global.add.u32 %0, [%1], %2;"                                   \
                     : "=r"(old)                                                                             \
                     : "l"(p), "r"(value)                                                                    \
                     : "memory");                                                                            \
        break;
#define LITMUS_EXCHANGES(order, text, scope, name)                                                           \
    case (order) << 2 | (scope):                                                                             \
        asm volatile("atom." text "." name ".global.exch.b32 %0, [%1], %2;"                                  \
                     : "=r"(old)                                                                             \
                     : "l"(p), "r"(value)                                                                    \
                     : "memory");                                                                            \
        break;
#define LITMUS_FENCES(order, text, scope, name)                                                              \
    case (order) << 2 | (scope):                                                                             \
        asm volatile("fence." text "." name ";" ::: "memory");                                               \
        break;
#define LITMUS_SCOPES(ROWS, order, text)                                                                     \
    ROWS(order, text, SCOPE_BLOCK, "cta")                                                                    \
    ROWS(order, text, SCOPE_DEVICE, "gpu")                                                                   \
    ROWS(order, text, SCOPE_SYSTEM, "sys")

static __device__ __forceinline__ unsigned litmus_load(const unsigned *p, int scope, int order)
{
    unsigned value = 0;
    switch (order << 2 | scope) {
        LITMUS_SCOPES(LITMUS_LOADS, ORDER_RELAXED, "relaxed")
        LITMUS_SCOPES(LITMUS_LOADS, ORDER_ACQUIRE, "acquire")
    default:
        asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    }
    return value;
}
static __device__ __forceinline__ void litmus_store(unsigned *p, unsigned value, int scope, int order)
{
    switch (order << 2 | scope) {
        LITMUS_SCOPES(LITMUS_STORES, ORDER_RELAXED, "relaxed")
        LITMUS_SCOPES(LITMUS_STORES, ORDER_RELEASE, "release")
    default:
        asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
    }
}
static __device__ __forceinline__ unsigned litmus_add(unsigned *p, unsigned value, int scope, int order)
{
    unsigned old = 0;
    switch (order << 2 | scope) {
        LITMUS_SCOPES(LITMUS_ADDS, ORDER_RELAXED, "relaxed")
        LITMUS_SCOPES(LITMUS_ADDS, ORDER_ACQUIRE, "acquire")
        LITMUS_SCOPES(LITMUS_ADDS, ORDER_RELEASE, "release")
        LITMUS_SCOPES(LITMUS_ADDS, ORDER_ACQUIRE_RELEASE, "acq_rel")
    }
    return old;
}
static __device__ __forceinline__ unsigned litmus_exchange(unsigned *p, unsigned value, int scope, int order)
{
    unsigned old = 0;
    switch (order << 2 | scope) {
        LITMUS_SCOPES(LITMUS_EXCHANGES, ORDER_RELAXED, "relaxed")
        LITMUS_SCOPES(LITMUS_EXCHANGES, ORDER_ACQUIRE, "acquire")
        LITMUS_SCOPES(LITMUS_EXCHANGES, ORDER_RELEASE, "release")
        LITMUS_SCOPES(LITMUS_EXCHANGES, ORDER_ACQUIRE_RELEASE, "acq_rel")
    }
    return old;
}
/* A one-directional fence needs PTX ISA 8.6; older toolkits use the two-directional one. */
static __device__ __forceinline__ void litmus_fence(int scope, int order)
{
    switch ((order == ORDER_SEQUENTIAL ? ORDER_SEQUENTIAL : ORDER_ACQUIRE_RELEASE) << 2 | scope) {
        LITMUS_SCOPES(LITMUS_FENCES, ORDER_ACQUIRE_RELEASE, "acq_rel")
        LITMUS_SCOPES(LITMUS_FENCES, ORDER_SEQUENTIAL, "sc")
    }
}

#endif
