/* The functions of machine/kernel_calls.h that read, change and write a word in one step: atomics,
 * mbarriers, lock bits. */
#include "machine/code/instructions.h"
#include "machine/cuda/request.h"
#include "machine/kernel_calls.h"
#include "machine/memory/lock_unit.h"
#include "machine/memory/mbarrier.h"
#include "machine/memory/operations.h"
#include "machine/memory/shared_memory.h"
#include "machine/memory/written.h"
#include "machine/weak/weak_memory.h"

#include <string.h>

/* ---- the lock unit ---- */

static bool try_lock(uintptr_t address)
{
    struct lane_more *more = more_of_running_lane();
    struct block *block = running.warp->block;
    if (lock_try(block, thread_of(running.warp, running.lane), address)) {
        more->refused = 0;
        return true;
    }
    if (more->refused++ == 0)
        more->refused_since = lock_bit_of(block, address)->turns;
    return false;
}

/* Makes the request of STSUL, which stores the word and frees its lock bit. The machine gives this request an
 * address in the code that is one byte before the LDSLK of the same atomic. A lockstep warp executes the
 * lowest address first. So lanes that have their lock bits store before the other lanes of the warp try
 * again, as the predicated code of Li 2015, Listing 1, does. */
static void store_unlock(uintptr_t address, const void *caller)
{
    request(REQUEST_STORE_UNLOCK, address, 4, (const char *)caller - 1);
    lock_release(running.warp->block, address);
}

HOOK_REQUEST uint32_t machine_lock_load(const void *address, int *acquired)
{
    request(REQUEST_LOCK_LOAD, (uintptr_t)address, 4, HERE);
    *acquired = try_lock((uintptr_t)address);
    /* PTX's memory model does not cover the older lock unit; here an LDSLK acquires and gets the newest
     * value */
    if (is_weak()) {
        enum machine_order order = *acquired ? ORDER_ACQUIRE : ORDER_RELAXED;
        weak_atomic_begins((uintptr_t)address, 4, (struct strength){SCOPE_BLOCK, order}, HERE);
        weak_atomic_ends(false);
    }
    return *(const uint32_t *)address;
}

HOOK_REQUEST void machine_store_unlock(void *address, uint32_t value)
{
    store_unlock((uintptr_t)address, HERE);
    if (is_weak())
        weak_store((uintptr_t)address, 4, (struct strength){SCOPE_BLOCK, ORDER_RELEASE}, HERE);
    *(uint32_t *)address = value;
    note_change();
}

/* Sets how a GPU does the lane's next atomic, and whether somebody uses its result. On weak memory times
 * do not count. */
static void choose_instruction(enum atomic_way way, const void *caller)
{
    struct lane *lane = running_lane();
    lane->way = way;
    if (!the_machine.description.shared_atomic_lane || is_weak())
        return;
    struct atomic_use use = atomic_use_after(caller);
    lane->unused = lane->unused || use.is_unused;
    if (way == ATOMIC_COUNTS && !(lane->unused && use.adds_one))
        lane->way = ATOMIC_CHANGES;
}

#define BRANCH 1 /* number of instructions of a branch; the branch waits for its predicate */

/*
 * Waits until the lane may do its read-modify-write. If shared memory has lock bits, an atomic on it first
 * takes the word's lock bit, in a loop that branches back while another thread holds the bit (Li 2015,
 * Listing 1). Returns whether the lane has taken a bit, which the caller must free.
 */
static bool begin_atomic(uintptr_t address, unsigned bytes, enum atomic_way way, const void *caller)
{
    choose_instruction(way, caller);
    if (!the_machine.description.lock_bits || !shared_memory_has(address)) {
        request(REQUEST_ATOMIC, address, bytes, caller);
        return false;
    }
    for (;; machine_arithmetic(BRANCH)) {
        request(REQUEST_LOCK_LOAD, address, bytes, caller);
        if (try_lock(address))
            break;
    }
    the_machine.counters.atomics++;
    return true;
}

/* ---- atomics ---- */

/* An exchange may be the first access to memory, because its old value need not have a meaning. */
static inline void note_exchange(uintptr_t address, size_t bytes)
{
    if (__builtin_expect(written_is_noted, false) && bounds_are_allowed(address, bytes))
        written_note(running.warp->block, address, bytes);
}

HOOK_NOTE void machine_use_mbarrier(void)
{
    running_lane()->next_of_mbarrier = true;
}

HOOK_NOTE void machine_ask_for_no_value(void)
{
    running_lane()->unused = true;
}

/*
 * An atomic. The lane itself does the read-modify-write, when its turn at the address has come. If the atomic
 * is a loop over lock bits, a compare-and-swap has two dependent instructions between load and store (ISETP
 * and SEL: Li 2015, Listing 3), and the others have one (IADD, MOV32I: Listings 1 and 3).
 */
#define ATOMIC(name, type, arguments, way, arithmetic, new_value, reads, writes)                             \
    HOOK_REQUEST type name arguments                                                                         \
    {                                                                                                        \
        if (!(reads))                                                                                        \
            note_exchange((uintptr_t)address, sizeof(type));                                                 \
        request_order(REQUEST_FENCE_RELEASE, scope, order, (const char *)HERE - 1);                          \
        bool locked = begin_atomic((uintptr_t)address, sizeof(type), way, HERE);                             \
        type old = *(type *)address, new = (new_value);                                                      \
        if (locked) {                                                                                        \
            machine_arithmetic(arithmetic);                                                                  \
            store_unlock((uintptr_t)address, HERE);                                                          \
        }                                                                                                    \
        if (is_weak()) {                                                                                     \
            weak_atomic_begins((uintptr_t)address, sizeof(type), (struct strength){scope, order}, HERE);     \
            old = *(type *)address;                                                                          \
            new = (new_value);                                                                               \
        }                                                                                                    \
        *(type *)address = new;                                                                              \
        if (is_weak())                                                                                       \
            weak_atomic_ends(writes);                                                                        \
        if (new != old)                                                                                      \
            note_change();                                                                                   \
        running_lane()->unused = false;                                                                      \
        request_order(REQUEST_FENCE_ACQUIRE, scope, order, (const char *)HERE + 1);                          \
        return old;                                                                                          \
    }
#define STRENGTH enum machine_scope scope, enum machine_order order

ATOMIC(machine_atomic_add_32, uint32_t, (void *address, uint32_t value, STRENGTH), ATOMIC_COUNTS, 1,
       old + value, true, true)
ATOMIC(machine_atomic_add_64, uint64_t, (void *address, uint64_t value, STRENGTH), ATOMIC_LOOPS, 1,
       old + value, true, true)
ATOMIC(machine_atomic_max_32, uint32_t, (void *address, uint32_t value, STRENGTH), ATOMIC_CHANGES, 1,
       old > value ? old : value, true, true)
ATOMIC(machine_atomic_exchange_32, uint32_t, (void *address, uint32_t value, STRENGTH), ATOMIC_CHANGES, 1,
       value, false, true)
ATOMIC(machine_atomic_compare_swap_32, uint32_t, (void *address, uint32_t expected, uint32_t value, STRENGTH),
       ATOMIC_SWAPS, 2, old == expected ? value : old, true, old == expected)

/* An arrival at an mbarrier by the suite's own kernels. The function has fewer arguments than
 * machine_mbarrier_change(), because the machine counts the instructions that pass arguments. */
ATOMIC(machine_mbarrier_arrive, uint64_t, (void *address, STRENGTH), ATOMIC_CHANGES, 1,
       mbarrier_after(old, 0, 1, 0), true, true)
ATOMIC(machine_mbarrier_change, uint64_t,
       (void *address, int32_t bytes, uint32_t arrivals, uint32_t drops, STRENGTH), ATOMIC_CHANGES, 1,
       mbarrier_after(old, bytes, arrivals, drops), true, true)

/* Does the atomic operation on the word in memory. Sets `new` to the new value and returns the old value. */
static uint64_t change(enum machine_operation operation, void *address, unsigned bytes, uint64_t value,
                       uint64_t expected, uint64_t *new)
{
    uint64_t old = 0;
    memcpy(&old, address, bytes);
    *new = operation_result(operation, old, value, expected, bytes);
    memcpy(address, new, bytes);
    return old;
}

/* Returns how a GPU does the operation on shared memory: nvcc 13's code for sm_90. */
static enum atomic_way way_of(enum machine_operation operation, unsigned bytes)
{
    if (operation == OPERATION_COMPARE_SWAP)
        return ATOMIC_SWAPS;
    if (operation == OPERATION_EXCHANGE || (bytes == 4 && operation != OPERATION_ADD_FLOAT))
        return ATOMIC_CHANGES;
    return ATOMIC_LOOPS;
}

HOOK_REQUEST uint64_t machine_atomic(enum machine_operation operation, void *address, unsigned bytes,
                                     uint64_t value, uint64_t expected, STRENGTH)
{
    uint64_t new;
    if (is_private_atomic(address, bytes, true, HERE, __builtin_frame_address(0)))
        return change(operation, address, bytes, value, expected, &new);
    if (operation == OPERATION_EXCHANGE)
        note_exchange((uintptr_t)address, bytes);
    request_order(REQUEST_FENCE_RELEASE, scope, order, (const char *)HERE - 1);
    bool locked = begin_atomic((uintptr_t)address, bytes, way_of(operation, bytes), HERE);
    if (locked) {
        machine_arithmetic(operation == OPERATION_COMPARE_SWAP ? 2 : 1);
        store_unlock((uintptr_t)address, HERE);
    }
    if (is_weak())
        weak_atomic_begins((uintptr_t)address, bytes, (struct strength){scope, order}, HERE);
    uint64_t old = change(operation, address, bytes, value, expected, &new);
    if (is_weak())
        weak_atomic_ends(operation != OPERATION_COMPARE_SWAP || old == operation_low_bytes(expected, bytes));
    if (new != old)
        note_change();
    running_lane()->unused = false;
    request_order(REQUEST_FENCE_ACQUIRE, scope, order, (const char *)HERE + 1);
    return old;
}
