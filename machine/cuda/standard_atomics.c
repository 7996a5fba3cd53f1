/*
 * The hooks that code compiled with -fsanitize=thread calls in place of the compiler's atomics (__atomic_*,
 * __sync_*, std::atomic) and fences, and before it sets or reads a pointer to virtual functions. Host code
 * has them, and libraries that are written for hosts and devices. In a kernel they have the scope of the
 * system, because they name no other.
 */
#include "machine/code/kernel_code.h"
#include "machine/cuda/request.h"
#include "machine/memory/operations.h"
#include "machine/weak/weak_memory.h"

#include <stdbool.h>
#include <string.h>

/* Converts the compiler's number of a memory order (__ATOMIC_RELAXED and so on) to the machine's order. */
static enum machine_order order_of(int order)
{
    return order == __ATOMIC_RELAXED                                ? ORDER_RELAXED
           : order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ? ORDER_ACQUIRE
           : order == __ATOMIC_RELEASE                              ? ORDER_RELEASE
                                                                    : ORDER_ACQUIRE_RELEASE;
}

/* A sequentially consistent access is a fence and an access that acquires and releases, as in PTX. */
static void begin_order(int order, const void *instruction)
{
    request_order(REQUEST_FENCE_RELEASE, SCOPE_SYSTEM, order_of(order), (const char *)instruction - 1);
    if (is_weak() && order == __ATOMIC_SEQ_CST)
        weak_fence((struct strength){SCOPE_SYSTEM, ORDER_SEQUENTIAL});
}
static void end_order(int order, const void *instruction)
{
    running_lane()->unused = false;
    request_order(REQUEST_FENCE_ACQUIRE, SCOPE_SYSTEM, order_of(order), (const char *)instruction + 1);
}

static uint64_t load(const void *address, unsigned bytes, int order, const void *instruction,
                     const void *frame)
{
    uint64_t value = 0;
    bool is_request = !is_private_atomic(address, bytes, false, instruction, frame);
    if (is_request) {
        begin_order(order, instruction);
        request(REQUEST_LOAD, (uintptr_t)address, bytes, instruction);
        if (is_weak())
            weak_load((uintptr_t)address, bytes, (struct strength){SCOPE_SYSTEM, order_of(order)},
                      instruction);
    }
    memcpy(&value, address, bytes);
    if (is_request)
        end_order(order, instruction);
    return value;
}

static void store(void *address, uint64_t value, unsigned bytes, int order, const void *instruction,
                  const void *frame)
{
    if (!is_private_atomic(address, bytes, true, instruction, frame)) {
        begin_order(order, instruction);
        request(REQUEST_STORE, (uintptr_t)address, bytes, instruction);
        if (is_weak())
            weak_store((uintptr_t)address, bytes, (struct strength){SCOPE_SYSTEM, order_of(order)},
                       instruction);
    }
    memcpy(address, &value, bytes);
}

/* Changes the value at the address, and returns the old one. */
static uint64_t change(enum machine_operation operation, void *address, uint64_t value, uint64_t expected,
                       unsigned bytes, int order, const void *instruction, const void *frame)
{
    uint64_t old = 0;
    bool is_request = !is_private_atomic(address, bytes, true, instruction, frame);
    if (is_request) {
        begin_order(order, instruction);
        running_lane()->way = ATOMIC_CHANGES;
        request(REQUEST_ATOMIC, (uintptr_t)address, bytes, instruction);
        if (is_weak())
            weak_atomic_begins((uintptr_t)address, bytes, (struct strength){SCOPE_SYSTEM, order_of(order)},
                               instruction);
    }
    memcpy(&old, address, bytes);
    uint64_t new = operation_result(operation, old, value, expected, bytes);
    memcpy(address, &new, bytes);
    if (is_request) {
        if (is_weak())
            weak_atomic_ends(operation != OPERATION_COMPARE_SWAP ||
                             old == operation_low_bytes(expected, bytes));
        if (new != old)
            note_change();
        end_order(order, instruction);
    }
    return old;
}

/* How a value of a type becomes the operand of an operation, for types of two lengths. */
#define AS_IT_IS(value) (uint64_t)(value)
#define NEGATED(value) (uint64_t)(0 - (uint64_t)(value))

#define FETCH(bits, name, operation, operand)                                                                \
    uint##bits##_t __tsan_atomic##bits##_##name(void *address, uint##bits##_t value, int order);             \
    HOOK_REQUEST uint##bits##_t __tsan_atomic##bits##_##name(void *address, uint##bits##_t value, int order) \
    {                                                                                                        \
        return (uint##bits##_t)change(operation, address, operand(value), 0, bits / 8, order, HERE,          \
                                      __builtin_frame_address(0));                                           \
    }
#define COMPARE(bits, name)                                                                                  \
    bool __tsan_atomic##bits##_##name(void *address, void *expected, uint##bits##_t value, int order,        \
                                      int failure_order);                                                    \
    HOOK_REQUEST bool __tsan_atomic##bits##_##name(void *address, void *expected, uint##bits##_t value,      \
                                                   int order, int failure_order)                             \
    {                                                                                                        \
        uint##bits##_t wanted, old;                                                                          \
        (void)failure_order;                                                                                 \
        memcpy(&wanted, expected, sizeof wanted);                                                            \
        old = (uint##bits##_t)change(OPERATION_COMPARE_SWAP, address, value, wanted, bits / 8, order, HERE,  \
                                     __builtin_frame_address(0));                                            \
        memcpy(expected, &old, sizeof old);                                                                  \
        return old == wanted;                                                                                \
    }
#define OF_BITS(bits)                                                                                        \
    uint##bits##_t __tsan_atomic##bits##_load(const void *address, int order);                               \
    HOOK_REQUEST uint##bits##_t __tsan_atomic##bits##_load(const void *address, int order)                   \
    {                                                                                                        \
        return (uint##bits##_t)load(address, bits / 8, order, HERE, __builtin_frame_address(0));             \
    }                                                                                                        \
    void __tsan_atomic##bits##_store(void *address, uint##bits##_t value, int order);                        \
    HOOK_REQUEST void __tsan_atomic##bits##_store(void *address, uint##bits##_t value, int order)            \
    {                                                                                                        \
        store(address, value, bits / 8, order, HERE, __builtin_frame_address(0));                            \
    }                                                                                                        \
    FETCH(bits, exchange, OPERATION_EXCHANGE, AS_IT_IS)                                                      \
    FETCH(bits, fetch_add, OPERATION_ADD, AS_IT_IS)                                                          \
    FETCH(bits, fetch_sub, OPERATION_ADD, NEGATED)                                                           \
    FETCH(bits, fetch_and, OPERATION_AND, AS_IT_IS)                                                          \
    FETCH(bits, fetch_or, OPERATION_OR, AS_IT_IS)                                                            \
    FETCH(bits, fetch_xor, OPERATION_XOR, AS_IT_IS)                                                          \
    COMPARE(bits, compare_exchange_strong)                                                                   \
    COMPARE(bits, compare_exchange_weak)
OF_BITS(8)
OF_BITS(16)
OF_BITS(32)
OF_BITS(64)

void __tsan_atomic_thread_fence(int order);
HOOK_REQUEST void __tsan_atomic_thread_fence(int order)
{
    if (!calling_warp())
        return;
    request(REQUEST_FENCE_FULL, 0, 0, HERE);
    if (is_weak())
        weak_fence(
            (struct strength){SCOPE_SYSTEM, order == __ATOMIC_SEQ_CST ? ORDER_SEQUENTIAL : order_of(order)});
}

/* A fence between a thread and its own signal handlers, of which kernels have none. */
void __tsan_atomic_signal_fence(int order);
HOOK_NOTE void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
