/*
 * The kernels are compiled with -fsanitize=thread, but the sanitizer's runtime is not linked: this file has
 * its hooks. The compiled code calls a hook just before the access that the hook announces, so a lane stops
 * there until the access may take effect. The second part of the file has the device functions
 * of cuda_machine.h.
 */
#include "machine/code/instructions.h"
#include "machine/cuda/bounds.h"
#include "machine/async/mbarrier.h"
#include "machine/cuda/kernel_calls.h"
#include "machine/cuda/operations.h"
#include "machine/cuda/request.h"
#include "machine/code/kernel_code.h"
#include "machine/engine/lanes.h"
#include "machine/engine/lock_unit.h"
#include "machine/engine/shared_memory.h"
#include "machine/weak/weak_memory.h"

#include <string.h>

/* ---- loads and stores ---- */

#define VECTOR_BYTES 16 /* of the widest access: PTX ISA, vectors */

static inline bool is_weak(void)
{
    return __builtin_expect(the_machine.memory.is_weak, false);
}

/* Does the access go on where the lane's last one ended, within an aligned vector? Not on pure machines. */
static inline void note_next_word(struct lane *lane, enum request_kind kind, bool plain, uintptr_t address,
                                  const void *instruction)
{
    lane->is_next_word = kind <= REQUEST_STORE && kind == lane->kind && plain == lane->plain &&
                         address == lane->address + lane->bytes && address % VECTOR_BYTES != 0 &&
                         instruction != lane->instruction && the_machine.description.loads_under_way > 1;
}

static inline void announce(uintptr_t address, size_t bytes, enum request_kind kind, enum machine_scope scope,
                            const void *instruction, const void *frame)
{
    struct warp *warp = running.warp;
    if (!warp) {
        if (__builtin_expect(bounds_are_checked, false))
            bounds_check_host(address, kind == REQUEST_STORE, instruction);
        return;
    }
    /* Kernel parameters live in the launch's closure; reading them costs nothing, as constant
     * memory on a GPU. */
    const struct machine_launch *launch = running.launch;
    if (lane_owns(address, frame) || address - (uintptr_t)launch->closure < launch->closure_bytes) {
        instructions_go_on(instruction);
        return;
    }
    if (__builtin_expect(bounds_are_checked, false))
        bounds_check(address, bytes, kind == REQUEST_STORE, instruction);
    struct lane *lane = &warp->lanes[running.lane];
    note_next_word(lane, kind, scope == SCOPE_THREAD, address, instruction);
    lane->address = address;
    lane->instruction = instruction;
    lane->bytes = (uint16_t)bytes;
    lane->kind = (uint8_t)kind;
    lane->plain = scope == SCOPE_THREAD;
    lane->of_mbarrier = false;
    lane_wait(frame);
    if (is_weak())
        (kind == REQUEST_LOAD ? weak_load : weak_store)(address, bytes,
                                                        (struct strength){scope, ORDER_RELAXED}, instruction);
}

#define HOOK_OF_REQUEST_LOAD HOOK_OF_LOADS
#define HOOK_OF_REQUEST_STORE HOOK_OF_STORES
#define HOOK(name, bytes, kind, scope)                                                                       \
    void name(void *address);                                                                                \
    HOOK_OF_##kind void name(void *address)                                                                  \
    {                                                                                                        \
        announce((uintptr_t)address, bytes, kind, scope, __builtin_return_address(0),                        \
                 __builtin_frame_address(0));                                                                \
    }

#define HOOKS(bytes)                                                                                         \
    HOOK(__tsan_read##bytes, bytes, REQUEST_LOAD, SCOPE_THREAD)                                              \
    HOOK(__tsan_write##bytes, bytes, REQUEST_STORE, SCOPE_THREAD)                                            \
    HOOK(__tsan_volatile_read##bytes, bytes, REQUEST_LOAD, SCOPE_SYSTEM)                                     \
    HOOK(__tsan_volatile_write##bytes, bytes, REQUEST_STORE, SCOPE_SYSTEM)

#define UNALIGNED_HOOKS(bytes)                                                                               \
    HOOK(__tsan_unaligned_read##bytes, bytes, REQUEST_LOAD, SCOPE_THREAD)                                    \
    HOOK(__tsan_unaligned_write##bytes, bytes, REQUEST_STORE, SCOPE_THREAD)                                  \
    HOOK(__tsan_unaligned_volatile_read##bytes, bytes, REQUEST_LOAD, SCOPE_SYSTEM)                           \
    HOOK(__tsan_unaligned_volatile_write##bytes, bytes, REQUEST_STORE, SCOPE_SYSTEM)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
UNALIGNED_HOOKS(16)

#define RANGE_HOOK(name, kind)                                                                               \
    void name(void *address, size_t bytes);                                                                  \
    HOOK_OF_##kind void name(void *address, size_t bytes)                                                    \
    {                                                                                                        \
        announce((uintptr_t)address, bytes, kind, SCOPE_THREAD, __builtin_return_address(0),                 \
                 __builtin_frame_address(0));                                                                \
    }
RANGE_HOOK(__tsan_read_range, REQUEST_LOAD)
RANGE_HOOK(__tsan_write_range, REQUEST_STORE)

void __tsan_init(void);
void __tsan_init(void) {}

/* ---- requests that are calls ---- */

void request(enum request_kind kind, uintptr_t address, unsigned bytes, const void *instruction)
{
    if (bytes && __builtin_expect(bounds_are_checked, false))
        bounds_check(address, bytes, kind != REQUEST_LOAD, instruction);
    struct lane *lane = self();
    note_next_word(lane, kind, false, address, instruction);
    lane->kind = (uint8_t)kind;
    lane->plain = false;
    lane->of_mbarrier = lane->next_of_mbarrier;
    lane->next_of_mbarrier = false;
    lane->address = address;
    lane->bytes = (uint16_t)bytes;
    lane->instruction = instruction;
    lane_wait(__builtin_frame_address(0));
}

HOOK_REQUEST void machine_syncthreads(void)
{
    request(REQUEST_BLOCK_BARRIER, 0, 0, HERE);
}

HOOK_REQUEST void machine_syncwarp(uint64_t mask)
{
    more_of_self()->mask = mask;
    request(REQUEST_WARP_BARRIER, 0, 0, HERE);
}

static int shuffle_source(enum machine_shuffle_mode mode, int lane, int width)
{
    int own = (int)running.lane, first = own / width * width;
    switch (mode) {
    case SHUFFLE_INDEX:
        return first + lane % width;
    case SHUFFLE_UP:
        return own - lane < first ? own : own - lane;
    case SHUFFLE_DOWN:
        return own + lane >= first + width ? own : own + lane;
    default:
        return own ^ lane;
    }
}

HOOK_REQUEST uint64_t machine_shuffle(uint64_t mask, uint64_t value, enum machine_shuffle_mode mode, int lane,
                                      int width)
{
    struct lane_more *more = more_of_self();
    more->mask = mask;
    more->value = value;
    more->source_lane = shuffle_source(mode, lane, width);
    request(REQUEST_SHUFFLE, 0, 0, HERE);
    return more->result;
}

HOOK_REQUEST uint64_t machine_ballot(uint64_t mask, int predicate)
{
    struct lane_more *more = more_of_self();
    more->mask = mask;
    more->value = predicate ? 1 : 0;
    request(REQUEST_BALLOT, 0, 0, HERE);
    return more->result;
}

/* One of block scope orders nothing on coherent memory: a block's threads share one multiprocessor. */
HOOK_REQUEST void machine_fence(enum machine_scope scope, enum machine_order order)
{
    self()->of_system = scope == SCOPE_SYSTEM;
    if (scope > SCOPE_BLOCK)
        request(order == ORDER_RELEASE   ? REQUEST_FENCE_RELEASE
                : order == ORDER_ACQUIRE ? REQUEST_FENCE_ACQUIRE
                                         : REQUEST_FENCE_FULL,
                0, 0, HERE);
    else if (the_machine.description.fence_block_latency)
        request(REQUEST_FENCE_BLOCK, 0, 0, HERE);
    else
        instructions_go_on(HERE);
    if (is_weak())
        weak_fence((struct strength){scope, order});
}

/* What the order of an access costs beside the access: as much as the fence that would do the same. */
static void request_order(enum request_kind kind, enum machine_scope scope, enum machine_order order,
                          const void *instruction)
{
    enum machine_order needed = kind == REQUEST_FENCE_RELEASE ? ORDER_RELEASE : ORDER_ACQUIRE;
    self()->of_system = scope == SCOPE_SYSTEM;
    if (scope > SCOPE_BLOCK && order & needed)
        request(kind, 0, 0, instruction);
}

#define LOAD(name, type)                                                                                     \
    HOOK_REQUEST type name(const void *address, enum machine_scope scope, enum machine_order order)          \
    {                                                                                                        \
        request(REQUEST_LOAD, (uintptr_t)address, sizeof(type), HERE);                                       \
        if (is_weak())                                                                                       \
            weak_load((uintptr_t)address, sizeof(type), (struct strength){scope, order}, HERE);              \
        type value = *(const type *)address;                                                                 \
        request_order(REQUEST_FENCE_ACQUIRE, scope, order, (const char *)HERE + 1);                          \
        return value;                                                                                        \
    }
LOAD(machine_load_32, uint32_t)
LOAD(machine_load_64, uint64_t)

HOOK_REQUEST void machine_store_32(void *address, uint32_t value, enum machine_scope scope,
                                   enum machine_order order)
{
    request_order(REQUEST_FENCE_RELEASE, scope, order, (const char *)HERE - 1);
    request(REQUEST_STORE, (uintptr_t)address, sizeof value, HERE);
    if (is_weak())
        weak_store((uintptr_t)address, sizeof value, (struct strength){scope, order}, HERE);
    *(uint32_t *)address = value;
}

/* Of host code, or of the running thread's own stack: no request. */
static bool is_private(const void *address, const void *frame)
{
    return !running.warp || lane_owns((uintptr_t)address, frame);
}

HOOK_REQUEST void machine_load_bytes(void *to, const void *address, unsigned bytes, enum machine_scope scope,
                                     enum machine_order order)
{
    if (is_private(address, __builtin_frame_address(0))) {
        memcpy(to, address, bytes);
        return;
    }
    request(REQUEST_LOAD, (uintptr_t)address, bytes, HERE);
    if (is_weak())
        weak_load((uintptr_t)address, bytes, (struct strength){scope, order}, HERE);
    memcpy(to, address, bytes);
    request_order(REQUEST_FENCE_ACQUIRE, scope, order, (const char *)HERE + 1);
}

HOOK_REQUEST void machine_store_bytes(void *address, const void *from, unsigned bytes,
                                      enum machine_scope scope, enum machine_order order)
{
    if (is_private(address, __builtin_frame_address(0))) {
        memcpy(address, from, bytes);
        return;
    }
    request_order(REQUEST_FENCE_RELEASE, scope, order, (const char *)HERE - 1);
    request(REQUEST_STORE, (uintptr_t)address, bytes, HERE);
    if (is_weak())
        weak_store((uintptr_t)address, bytes, (struct strength){scope, order}, HERE);
    memcpy(address, from, bytes);
}

HOOK_REQUEST long long machine_clock(void)
{
    struct lane_more *more = more_of_self();
    request(REQUEST_CLOCK, 0, 0, HERE);
    return (long long)more->result;
}

HOOK_REQUEST void machine_named_barrier(int barrier, int threads, int wait)
{
    struct lane_more *more = more_of_self();
    more->value = (uint64_t)barrier;
    more->mask = (uint64_t)threads;
    request(wait ? REQUEST_NAMED_BARRIER : REQUEST_NAMED_ARRIVAL, 0, 0, HERE);
}

HOOK_NOTE void machine_arithmetic(int instructions)
{
    self()->arithmetic += (uint32_t)instructions;
    self()->work = (struct work){0}; /* they are what was counted */
}

HOOK_REQUEST void machine_convergence_set(void)
{
    if (the_machine.description.lockstep)
        request(REQUEST_CONVERGENCE_SET, 0, 0, HERE);
    else
        instructions_go_on(HERE);
}

HOOK_REQUEST void machine_convergence_wait(void)
{
    if (the_machine.description.lockstep)
        request(REQUEST_CONVERGENCE_WAIT, 0, 0, HERE);
    else
        instructions_go_on(HERE);
}

/* ---- the lock unit ---- */

static bool try_lock(uintptr_t address)
{
    struct lane_more *more = more_of_self();
    struct block *block = running.warp->block;
    if (lock_try(block, thread_of(running.warp, running.lane), address)) {
        more->refused = 0;
        return true;
    }
    if (more->refused++ == 0)
        more->refused_since = lock_bit_of(block, address)->turns;
    return false;
}

/*
 * The instruction's place is one lower than LDSLK's in the same atomic, so that a lockstep warp
 * stores for the lanes that have their locks before the others try again, as the predicated code of
 * Li 2015, Listing 1.
 */
static void store_unlock(uintptr_t address, const void *caller)
{
    request(REQUEST_STORE_UNLOCK, address, 4, (const char *)caller - 1);
    lock_release(running.warp->block, address);
}

HOOK_REQUEST uint32_t machine_lock_load(const void *address, int *acquired)
{
    request(REQUEST_LOCK_LOAD, (uintptr_t)address, 4, HERE);
    *acquired = try_lock((uintptr_t)address);
    if (is_weak()) { /* older than PTX: a lock that is taken acquires, and the value is the newest */
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

#define BRANCH 1 /* a predicated branch waits for its predicate */

/*
 * Waits until the lane may do its read-modify-write. Where the shared memory has lock bits, an
 * atomic on it is a loop that takes the bit, and branches back where that failed (Li 2015, Listing 1);
 * then true, and the caller frees the bit.
 */
static bool begin_atomic(uintptr_t address, unsigned bytes, const void *caller)
{
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

HOOK_NOTE void machine_use_mbarrier(void)
{
    self()->next_of_mbarrier = true;
}

HOOK_NOTE void machine_ask_for_no_value(void)
{
    self()->unused = true;
}

/*
 * The lane itself does the read-modify-write, when its turn at that address has come. Where it is a
 * loop over lock bits, a compare-and-swap has two dependent instructions between load and store
 * (ISETP and SEL: Listing 3), the others one (IADD, MOV32I: Listings 1 and 3).
 */
#define ATOMIC(name, type, arguments, arithmetic, new_value, writes)                                         \
    HOOK_REQUEST type name arguments                                                                         \
    {                                                                                                        \
        request_order(REQUEST_FENCE_RELEASE, scope, order, (const char *)HERE - 1);                          \
        bool locked = begin_atomic((uintptr_t)address, sizeof(type), HERE);                                  \
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
        self()->unused = false;                                                                              \
        request_order(REQUEST_FENCE_ACQUIRE, scope, order, (const char *)HERE + 1);                          \
        return old;                                                                                          \
    }
#define STRENGTH enum machine_scope scope, enum machine_order order

ATOMIC(machine_atomic_add_32, uint32_t, (void *address, uint32_t value, STRENGTH), 1, old + value, true)
ATOMIC(machine_atomic_add_64, uint64_t, (void *address, uint64_t value, STRENGTH), 1, old + value, true)
ATOMIC(machine_atomic_max_32, uint32_t, (void *address, uint32_t value, STRENGTH), 1,
       old > value ? old : value, true)
ATOMIC(machine_atomic_exchange_32, uint32_t, (void *address, uint32_t value, STRENGTH), 1, value, true)
ATOMIC(machine_atomic_compare_swap_32, uint32_t, (void *address, uint32_t expected, uint32_t value, STRENGTH),
       2, old == expected ? value : old, old == expected)

/* An arrival of the suite's own kernels: with fewer arguments, which would be counted as instructions. */
ATOMIC(machine_mbarrier_arrive, uint64_t, (void *address, STRENGTH), 1, mbarrier_after(old, 0, 1, 0), true)
ATOMIC(machine_mbarrier_change, uint64_t,
       (void *address, int32_t bytes, uint32_t arrivals, uint32_t drops, STRENGTH), 1,
       mbarrier_after(old, bytes, arrivals, drops), true)

/* Reads, changes and writes. Returns the old value. */
static uint64_t change(enum machine_operation operation, void *address, unsigned bytes, uint64_t value,
                       uint64_t expected, uint64_t *new)
{
    uint64_t old = 0;
    memcpy(&old, address, bytes);
    *new = operation_result(operation, old, value, expected, bytes);
    memcpy(address, new, bytes);
    return old;
}

HOOK_REQUEST uint64_t machine_atomic(enum machine_operation operation, void *address, unsigned bytes,
                                     uint64_t value, uint64_t expected, STRENGTH)
{
    uint64_t new;
    if (is_private(address, __builtin_frame_address(0)))
        return change(operation, address, bytes, value, expected, &new);
    request_order(REQUEST_FENCE_RELEASE, scope, order, (const char *)HERE - 1);
    bool locked = begin_atomic((uintptr_t)address, bytes, HERE);
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
    self()->unused = false;
    request_order(REQUEST_FENCE_ACQUIRE, scope, order, (const char *)HERE + 1);
    return old;
}

/* ---- the built-in variables ---- */

static struct machine_index index_in(struct machine_index extent, unsigned linear)
{
    if (extent.y == 1 && extent.z == 1)
        return (struct machine_index){linear, 0, 0};
    return (struct machine_index){linear % extent.x, linear / extent.x % extent.y,
                                  linear / extent.x / extent.y};
}

HOOK_VALUE struct machine_index machine_thread_index(void)
{
    return index_in(running.launch->block, thread_of(running.warp, running.lane));
}

HOOK_VALUE struct machine_index machine_block_index(void)
{
    return index_in(running.launch->grid, running.warp->block->index);
}

HOOK_VALUE struct machine_index machine_block_dim(void)
{
    return running.launch->block;
}

HOOK_VALUE struct machine_index machine_grid_dim(void)
{
    return running.launch->grid;
}

HOOK_VALUE int machine_is_pure(void)
{
    return the_machine.description.compute_capability == 999;
}

HOOK_VALUE int machine_is_running(void)
{
    return running.warp != NULL;
}

HOOK_VALUE int machine_warp_size(void)
{
    return the_machine.description.warp_size;
}

HOOK_VALUE unsigned machine_whole_warps(unsigned number)
{
    return number / (unsigned)the_machine.description.warp_size;
}

HOOK_VALUE unsigned machine_of_no_whole_warp(unsigned number)
{
    return number % (unsigned)the_machine.description.warp_size;
}

HOOK_VALUE int machine_lane(void)
{
    return (int)running.lane;
}

HOOK_VALUE void *machine_dynamic_shared(void)
{
    return running.warp->block->dynamic;
}

HOOK_VALUE uint32_t machine_shared_offset(const void *address)
{
    return (uint32_t)shared_memory_offset(running.warp->block, (uintptr_t)address);
}

HOOK_VALUE void *machine_shared_address(uint64_t offset)
{
    return (void *)shared_memory_at(running.warp->block, offset);
}

HOOK_VALUE unsigned *machine_grid_workspace(void)
{
    static unsigned counters[MOST_KERNELS][64] __attribute__((aligned(256)));
    return counters[running.warp->block->kernel - the_machine.run.kernels];
}
