/*
 * Hooks that g++ calls at each access of the host's code, because the checker compiles this code with
 * -fsanitize=thread (tools/check/program.bash). The sanitizer's own runtime is not linked. The hooks let
 * bounds_check_host() check the accesses to memory that the host shares with the device. Kernels call none of
 * them.
 */
#include "machine/cuda/bounds.h"
#include "machine/memory/arrays.h"

#include <string.h>

#define HERE __builtin_return_address(0)

static inline void announce(uintptr_t address, size_t bytes, bool writes, bool is_strong,
                            const void *instruction)
{
    if (__builtin_expect(array_may_be(address), false) && bounds_are_checked && bytes)
        bounds_check_host(address, bytes, writes, is_strong, instruction);
}

/* ---- loads and stores ---- */

#define HOOK(name, bytes, writes, is_strong)                                                                 \
    void name(void *address);                                                                                \
    void name(void *address)                                                                                 \
    {                                                                                                        \
        announce((uintptr_t)address, bytes, writes, is_strong, HERE);                                        \
    }
#define HOOKS(bytes)                                                                                         \
    HOOK(__tsan_read##bytes, bytes, false, false)                                                            \
    HOOK(__tsan_write##bytes, bytes, true, false)                                                            \
    HOOK(__tsan_volatile_read##bytes, bytes, false, true)                                                    \
    HOOK(__tsan_volatile_write##bytes, bytes, true, true)
#define UNALIGNED_HOOKS(bytes)                                                                               \
    HOOK(__tsan_unaligned_read##bytes, bytes, false, false)                                                  \
    HOOK(__tsan_unaligned_write##bytes, bytes, true, false)                                                  \
    HOOK(__tsan_unaligned_volatile_read##bytes, bytes, false, true)                                          \
    HOOK(__tsan_unaligned_volatile_write##bytes, bytes, true, true)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
UNALIGNED_HOOKS(16)

#define RANGE_HOOK(name, writes)                                                                             \
    void name(void *address, size_t bytes);                                                                  \
    void name(void *address, size_t bytes)                                                                   \
    {                                                                                                        \
        announce((uintptr_t)address, bytes, writes, false, HERE);                                            \
    }
RANGE_HOOK(__tsan_read_range, false)
RANGE_HOOK(__tsan_write_range, true)

/* A constructor or destructor stores the pointer to the object's virtual functions. */
void __tsan_vptr_update(void **pointer, void *value)
{
    (void)value;
    announce((uintptr_t)pointer, sizeof *pointer, true, false, HERE);
}
HOOK(__tsan_vptr_read, sizeof(void *), false, false)

void __tsan_init(void) {}
void __tsan_func_entry(const void *back)
{
    (void)back;
}
void __tsan_func_exit(void) {}

/* ---- memcpy(), memmove() and memset() ---- */

#define COPY_HOOK(name)                                                                                      \
    void *machine_##name(void *to, const void *from, size_t bytes);                                          \
    void *machine_##name(void *to, const void *from, size_t bytes)                                           \
    {                                                                                                        \
        announce((uintptr_t)from, bytes, false, false, HERE);                                                \
        announce((uintptr_t)to, bytes, true, false, HERE);                                                   \
        return name(to, from, bytes);                                                                        \
    }
COPY_HOOK(memcpy)
COPY_HOOK(memmove)

void *machine_memset(void *to, int value, size_t bytes);
void *machine_memset(void *to, int value, size_t bytes)
{
    announce((uintptr_t)to, bytes, true, false, HERE);
    return memset(to, value, bytes);
}

/* ---- the compiler's atomics (__atomic_*, __sync_*, std::atomic) ---- */

/* Another thread of the host may access the word at the same time, so each operation is the processor's. */
#define FETCH(bits, name)                                                                                    \
    uint##bits##_t __tsan_atomic##bits##_##name(void *address, uint##bits##_t value, int order)              \
    {                                                                                                        \
        (void)order;                                                                                         \
        announce((uintptr_t)address, bits / 8, true, true, HERE);                                            \
        return __atomic_##name((uint##bits##_t *)address, value, __ATOMIC_SEQ_CST);                          \
    }
#define COMPARE(bits, name)                                                                                  \
    bool __tsan_atomic##bits##_##name(void *address, void *expected, uint##bits##_t value, int order,        \
                                      int failure_order)                                                     \
    {                                                                                                        \
        (void)order, (void)failure_order;                                                                    \
        announce((uintptr_t)address, bits / 8, true, true, HERE);                                            \
        return __atomic_compare_exchange_n((uint##bits##_t *)address, (uint##bits##_t *)expected, value,     \
                                           false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                       \
    }
#define OF_BITS(bits)                                                                                        \
    uint##bits##_t __tsan_atomic##bits##_load(const void *address, int order)                                \
    {                                                                                                        \
        (void)order;                                                                                         \
        announce((uintptr_t)address, bits / 8, false, true, HERE);                                           \
        return __atomic_load_n((const uint##bits##_t *)address, __ATOMIC_SEQ_CST);                           \
    }                                                                                                        \
    void __tsan_atomic##bits##_store(void *address, uint##bits##_t value, int order)                         \
    {                                                                                                        \
        (void)order;                                                                                         \
        announce((uintptr_t)address, bits / 8, true, true, HERE);                                            \
        __atomic_store_n((uint##bits##_t *)address, value, __ATOMIC_SEQ_CST);                                \
    }                                                                                                        \
    uint##bits##_t __tsan_atomic##bits##_exchange(void *address, uint##bits##_t value, int order)            \
    {                                                                                                        \
        (void)order;                                                                                         \
        announce((uintptr_t)address, bits / 8, true, true, HERE);                                            \
        return __atomic_exchange_n((uint##bits##_t *)address, value, __ATOMIC_SEQ_CST);                      \
    }                                                                                                        \
    FETCH(bits, fetch_add)                                                                                   \
    FETCH(bits, fetch_sub)                                                                                   \
    FETCH(bits, fetch_and)                                                                                   \
    FETCH(bits, fetch_or)                                                                                    \
    FETCH(bits, fetch_xor)                                                                                   \
    COMPARE(bits, compare_exchange_strong)                                                                   \
    COMPARE(bits, compare_exchange_weak)
OF_BITS(8)
OF_BITS(16)
OF_BITS(32)
OF_BITS(64)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
