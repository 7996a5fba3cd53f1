/*
 * CUDA's atomic functions beyond those of machine/cuda/cuda_machine.h, loads and stores that name a cache,
 * and atomics that name an order and a scope (CUDA C++ Programming Guide, "Atomic Functions"). A function
 * whose name has no order is relaxed; one whose name has no scope has the scope of the device.
 */
#ifndef GPUSYNC_CHECK_ATOMICS_H
#define GPUSYNC_CHECK_ATOMICS_H

#include <type_traits>

namespace gpusync_check
{
/* Executes an atomic operation and returns the old value. */
template <class T>
CHECK_DEVICE T change(machine_operation operation, T *address, T value, T expected, machine_scope scope,
                      machine_order order)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "an atomic of 2, 4 or 8 bytes");
    return bits_as<T>(machine_atomic(operation, (void *)address, sizeof(T), bits_as<uint64_t>(value),
                                     bits_as<uint64_t>(expected), scope, order));
}
template <class T>
CHECK_DEVICE T change(machine_operation operation, T *address, T value, machine_scope scope)
{
    return change(operation, address, value, T{}, scope, ORDER_RELAXED);
}
template <class T>
CHECK_DEVICE T load(const T *address, machine_scope scope, machine_order order)
{
    /* the value goes through a register, so that the machine sees which instructions wait for it
     * (machine/code/dependence.h) */
    if constexpr (sizeof(T) == 4)
        return bits_as<T>(machine_load_any_32((const void *)address, scope, order));
    if constexpr (sizeof(T) == 8)
        return bits_as<T>(machine_load_any_64((const void *)address, scope, order));
    T value;
    machine_load_bytes((void *)&value, (const void *)address, sizeof value, scope, order);
    return value;
}
template <class T>
CHECK_DEVICE void store(T *address, T value, machine_scope scope, machine_order order)
{
    machine_store_bytes((void *)address, (const void *)&value, sizeof value, scope, order);
}
} // namespace gpusync_check

#define ATOMIC(name, operation, type, suffix, scope)                                                         \
    CHECK_DEVICE type name##suffix(type *address, type value)                                                \
    {                                                                                                        \
        return gpusync_check::change(operation, address, value, scope);                                      \
    }
#define COMPARE_SWAP(type, suffix, scope)                                                                    \
    CHECK_DEVICE type atomicCAS##suffix(type *address, type expected, type value)                            \
    {                                                                                                        \
        return gpusync_check::change(OPERATION_COMPARE_SWAP, address, value, expected, scope,                \
                                     ORDER_RELAXED);                                                         \
    }
#define OF_INTEGERS(name, operation, suffix, scope)                                                          \
    ATOMIC(name, operation, int, suffix, scope)                                                              \
    ATOMIC(name, operation, unsigned, suffix, scope)                                                         \
    ATOMIC(name, operation, unsigned long long, suffix, scope)
#define ATOMICS(suffix, scope)                                                                               \
    ATOMIC(atomicAdd, OPERATION_ADD_FLOAT, float, suffix, scope)                                             \
    ATOMIC(atomicAdd, OPERATION_ADD_FLOAT, double, suffix, scope)                                            \
    CHECK_DEVICE int atomicSub##suffix(int *address, int value)                                              \
    {                                                                                                        \
        return gpusync_check::change(OPERATION_ADD, address, (int)(0u - (unsigned)value), scope);            \
    }                                                                                                        \
    CHECK_DEVICE unsigned atomicSub##suffix(unsigned *address, unsigned value)                               \
    {                                                                                                        \
        return gpusync_check::change(OPERATION_ADD, address, 0u - value, scope);                             \
    }                                                                                                        \
    ATOMIC(atomicExch, OPERATION_EXCHANGE, int, suffix, scope)                                               \
    ATOMIC(atomicExch, OPERATION_EXCHANGE, float, suffix, scope)                                             \
    ATOMIC(atomicExch, OPERATION_EXCHANGE, unsigned long long, suffix, scope)                                \
    COMPARE_SWAP(int, suffix, scope)                                                                         \
    COMPARE_SWAP(unsigned long long, suffix, scope)                                                          \
    COMPARE_SWAP(unsigned short, suffix, scope)                                                              \
    ATOMIC(atomicMax, OPERATION_MAX_SIGNED, int, suffix, scope)                                              \
    ATOMIC(atomicMax, OPERATION_MAX_SIGNED, long long, suffix, scope)                                        \
    ATOMIC(atomicMax, OPERATION_MAX, unsigned long long, suffix, scope)                                      \
    ATOMIC(atomicMin, OPERATION_MIN_SIGNED, int, suffix, scope)                                              \
    ATOMIC(atomicMin, OPERATION_MIN_SIGNED, long long, suffix, scope)                                        \
    ATOMIC(atomicMin, OPERATION_MIN, unsigned, suffix, scope)                                                \
    ATOMIC(atomicMin, OPERATION_MIN, unsigned long long, suffix, scope)                                      \
    OF_INTEGERS(atomicAnd, OPERATION_AND, suffix, scope)                                                     \
    OF_INTEGERS(atomicOr, OPERATION_OR, suffix, scope)                                                       \
    OF_INTEGERS(atomicXor, OPERATION_XOR, suffix, scope)                                                     \
    ATOMIC(atomicInc, OPERATION_INCREMENT, unsigned, suffix, scope)                                          \
    ATOMIC(atomicDec, OPERATION_DECREMENT, unsigned, suffix, scope)
ATOMICS(_block, SCOPE_BLOCK)
ATOMICS(, SCOPE_DEVICE)
ATOMICS(_system, SCOPE_SYSTEM)
#undef ATOMIC
#undef COMPARE_SWAP
#undef OF_INTEGERS
#undef ATOMICS

/* Defines loads and stores that name a cache. They are weak, like plain ones, since the cache changes
 * nothing in the memory model (PTX ISA, "Cache Operators"). */
#define LOAD(name)                                                                                           \
    template <class T>                                                                                       \
    CHECK_DEVICE T name(const T *address)                                                                    \
    {                                                                                                        \
        return *address;                                                                                     \
    }
#define STORE(name)                                                                                          \
    template <class T>                                                                                       \
    CHECK_DEVICE void name(T *address, T value)                                                              \
    {                                                                                                        \
        *address = value;                                                                                    \
    }
LOAD(__ldg)
LOAD(__ldcg)
LOAD(__ldca)
LOAD(__ldcs)
LOAD(__ldlu)
STORE(__stwb)
STORE(__stcg)
STORE(__stcs)
STORE(__stwt)
#undef LOAD
#undef STORE
/* Loads a value from memory each time it is called, as the PTX instruction ld.volatile does. */
template <class T>
CHECK_DEVICE T __ldcv(const T *address)
{
    return gpusync_check::load(address, SCOPE_SYSTEM, ORDER_RELAXED);
}

/* Announces how the memory will be used (cuda/annotated_ptr). This has no effect on the machine. */
CHECK_DEVICE void *__nv_associate_access_property(const void *address, unsigned long long)
{
    return const_cast<void *>(address);
}

/* The names that nvcc has for memory orders and thread scopes. */
enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

namespace gpusync_check
{
constexpr machine_order order_of(int order)
{
    return order == __NV_ATOMIC_RELAXED                                   ? ORDER_RELAXED
           : order == __NV_ATOMIC_RELEASE                                 ? ORDER_RELEASE
           : order == __NV_ATOMIC_ACQUIRE || order == __NV_ATOMIC_CONSUME ? ORDER_ACQUIRE
                                                                          : ORDER_ACQUIRE_RELEASE;
}
/* Returns the machine's scope that stands for nvcc's number `scope`. For a cluster it is the scope of the
 * block, because the machine has no cluster scope. */
constexpr machine_scope scope_of(int scope)
{
    return scope == __NV_THREAD_SCOPE_DEVICE   ? SCOPE_DEVICE
           : scope == __NV_THREAD_SCOPE_SYSTEM ? SCOPE_SYSTEM
           : scope == __NV_THREAD_SCOPE_THREAD ? SCOPE_THREAD
                                               : SCOPE_BLOCK;
}
/* Executes the fence before an operation whose memory order is `order`: fence.sc if the order is sequentially
 * consistent, otherwise no fence. After this fence, the operation itself only acquires or releases, as in the
 * mapping of C++ to PTX. */
CHECK_DEVICE void fence_before(int order, machine_scope scope)
{
    if (order == __NV_ATOMIC_SEQ_CST && scope != SCOPE_THREAD && machine_is_running())
        machine_fence(scope, ORDER_SEQUENTIAL);
}
} // namespace gpusync_check

template <class T>
CHECK_DEVICE T __nv_atomic_load_n(const T *address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    gpusync_check::fence_before(order, gpusync_check::scope_of(scope));
    return gpusync_check::load(address, gpusync_check::scope_of(scope),
                               order == __NV_ATOMIC_RELAXED ? ORDER_RELAXED : ORDER_ACQUIRE);
}
template <class T>
CHECK_DEVICE void __nv_atomic_store_n(T *address, std::common_type_t<T> value, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    gpusync_check::fence_before(order, gpusync_check::scope_of(scope));
    gpusync_check::store(address, value, gpusync_check::scope_of(scope),
                         order == __NV_ATOMIC_RELEASE ? ORDER_RELEASE : ORDER_RELAXED);
}
namespace gpusync_check
{
/* Executes an atomic operation in the memory order `order`, one of __NV_ATOMIC_*, and returns the old
 * value. */
template <class T>
CHECK_DEVICE T fetch(machine_operation operation, T *address, T value, T expected, int order,
                     machine_scope scope)
{
    fence_before(order, scope);
    return change(operation, address, value, expected, scope, order_of(order));
}
template <class T>
constexpr machine_operation add_of()
{
    return std::is_floating_point_v<T> ? OPERATION_ADD_FLOAT : OPERATION_ADD;
}
template <class T>
constexpr machine_operation min_of()
{
    return std::is_signed_v<T> ? OPERATION_MIN_SIGNED : OPERATION_MIN;
}
template <class T>
constexpr machine_operation max_of()
{
    return std::is_signed_v<T> ? OPERATION_MAX_SIGNED : OPERATION_MAX;
}
} // namespace gpusync_check
#define FETCH(name, operation)                                                                               \
    template <class T>                                                                                       \
    CHECK_DEVICE T __nv_atomic_##name(T *address, std::common_type_t<T> value, int order,                    \
                                      int scope = __NV_THREAD_SCOPE_SYSTEM)                                  \
    {                                                                                                        \
        return gpusync_check::fetch(operation, address, value, T{}, order, gpusync_check::scope_of(scope));  \
    }
FETCH(fetch_add, gpusync_check::add_of<T>())
FETCH(fetch_and, OPERATION_AND)
FETCH(fetch_or, OPERATION_OR)
FETCH(fetch_xor, OPERATION_XOR)
FETCH(fetch_min, gpusync_check::min_of<T>())
FETCH(fetch_max, gpusync_check::max_of<T>())
FETCH(exchange_n, OPERATION_EXCHANGE)
#undef FETCH
template <class T>
CHECK_DEVICE T __nv_atomic_fetch_sub(T *address, std::common_type_t<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_fetch_add(address, T(0) - value, order, scope);
}
template <class T>
CHECK_DEVICE bool __nv_atomic_compare_exchange_n(T *address, T *expected, std::common_type_t<T> value, bool,
                                                 int success, int, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    T old = gpusync_check::fetch(OPERATION_COMPARE_SWAP, address, value, *expected, success,
                                 gpusync_check::scope_of(scope));
    bool same = memcmp(&old, expected, sizeof old) == 0;
    *expected = old;
    return same;
}
CHECK_DEVICE void __nv_atomic_thread_fence(int order, int scope)
{
    if (order != __NV_ATOMIC_RELAXED)
        machine_fence(gpusync_check::scope_of(scope),
                      order == __NV_ATOMIC_SEQ_CST ? ORDER_SEQUENTIAL : gpusync_check::order_of(order));
}

#endif
