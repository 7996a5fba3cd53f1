/*
 * The kernels are compiled with -fsanitize=thread, but the sanitizer's runtime is not linked: these are its
 * hooks. Each is called just before the access it announces, so a lane stops here until the access may take
 * effect.
 */
#include "machine/state.h"

static void announce(uintptr_t address, unsigned bytes, enum request_kind kind, const void *instruction)
{
    struct lane *lane = current_lane;
    if (!lane || (address >= lane->stack_low && address < lane->stack_high))
        return;
    /* Kernel parameters live in the launch's closure; reading them costs nothing, as constant memory on a
     * GPU. */
    const struct machine_launch *launch = the_machine.run.launch;
    if (address - (uintptr_t)launch->closure < launch->closure_bytes)
        return;
    lane->request =
        (struct request){.kind = kind, .address = address, .bytes = bytes, .instruction = instruction};
    lane_wait();
}

#define HOOK(name, bytes, kind)                                                                              \
    void name(void *address);                                                                                \
    void name(void *address)                                                                                 \
    {                                                                                                        \
        announce((uintptr_t)address, bytes, kind, __builtin_return_address(0));                              \
    }

#define HOOKS(bytes)                                                                                         \
    HOOK(__tsan_read##bytes, bytes, REQUEST_LOAD)                                                            \
    HOOK(__tsan_write##bytes, bytes, REQUEST_STORE)                                                          \
    HOOK(__tsan_volatile_read##bytes, bytes, REQUEST_LOAD)                                                   \
    HOOK(__tsan_volatile_write##bytes, bytes, REQUEST_STORE)

#define UNALIGNED_HOOKS(bytes)                                                                               \
    HOOK(__tsan_unaligned_read##bytes, bytes, REQUEST_LOAD)                                                  \
    HOOK(__tsan_unaligned_write##bytes, bytes, REQUEST_STORE)                                                \
    HOOK(__tsan_unaligned_volatile_read##bytes, bytes, REQUEST_LOAD)                                         \
    HOOK(__tsan_unaligned_volatile_write##bytes, bytes, REQUEST_STORE)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
UNALIGNED_HOOKS(16)

void __tsan_read_range(void *address, size_t bytes);
void __tsan_read_range(void *address, size_t bytes)
{
    announce((uintptr_t)address, (unsigned)bytes, REQUEST_LOAD, __builtin_return_address(0));
}

void __tsan_write_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes)
{
    announce((uintptr_t)address, (unsigned)bytes, REQUEST_STORE, __builtin_return_address(0));
}

void __tsan_init(void);
void __tsan_init(void) {}

/* The device functions of cuda_machine.h that are requests too. */

static uint64_t operation(struct request request)
{
    current_lane->request = request;
    lane_wait();
    return current_lane->request.result;
}

#define HERE .instruction = __builtin_return_address(0)

void machine_syncthreads(void);
void machine_syncthreads(void)
{
    operation((struct request){.kind = REQUEST_BLOCK_BARRIER, HERE});
}

void machine_syncwarp(uint64_t mask);
void machine_syncwarp(uint64_t mask)
{
    operation((struct request){.kind = REQUEST_WARP_BARRIER, .mask = mask, HERE});
}

uint64_t machine_shuffle(uint64_t mask, uint64_t value, int source_lane);
uint64_t machine_shuffle(uint64_t mask, uint64_t value, int source_lane)
{
    return operation((struct request){
        .kind = REQUEST_SHUFFLE, .mask = mask, .value = value, .source_lane = source_lane, HERE});
}

uint64_t machine_ballot(uint64_t mask, int predicate);
uint64_t machine_ballot(uint64_t mask, int predicate)
{
    return operation(
        (struct request){.kind = REQUEST_BALLOT, .mask = mask, .value = predicate ? 1 : 0, HERE});
}

void machine_fence_full(void);
void machine_fence_full(void)
{
    operation((struct request){.kind = REQUEST_FENCE_FULL, HERE});
}

void machine_fence_release(void);
void machine_fence_release(void)
{
    operation((struct request){.kind = REQUEST_FENCE_RELEASE, HERE});
}

void machine_fence_acquire(void);
void machine_fence_acquire(void)
{
    operation((struct request){.kind = REQUEST_FENCE_ACQUIRE, HERE});
}

long long machine_clock(void);
long long machine_clock(void)
{
    return (long long)operation((struct request){.kind = REQUEST_CLOCK, HERE});
}

/* ---- the lock unit ---- */

/*
 * The instruction's place is one lower than LDSLK's in the same atomic, so that a lockstep warp stores for
 * the lanes that have their locks before the others try again, as the predicated code of Li 2015, Listing 1.
 */
static void store_unlock(uintptr_t address, int arithmetic, const void *caller)
{
    operation((struct request){.kind = REQUEST_STORE_UNLOCK,
                               .address = address,
                               .bytes = 4,
                               .arithmetic = arithmetic,
                               .instruction = (const char *)caller - 1});
    lock_release(current_lane, address);
}

uint32_t machine_lock_load(const void *address, int *acquired);
uint32_t machine_lock_load(const void *address, int *acquired)
{
    operation((struct request){.kind = REQUEST_LOCK_LOAD, .address = (uintptr_t)address, .bytes = 4, HERE});
    *acquired = lock_try(current_lane, (uintptr_t)address);
    return *(const uint32_t *)address;
}

void machine_store_unlock(void *address, uint32_t value);
void machine_store_unlock(void *address, uint32_t value)
{
    store_unlock((uintptr_t)address, 0, __builtin_return_address(0));
    *(uint32_t *)address = value;
    scheduler_changed();
}

/*
 * Waits until the lane may do its read-modify-write. Where the shared memory has lock bits, an atomic on it
 * is a loop that takes the bit (Li 2015, Listing 1); then true, and the caller frees the bit.
 */
static bool begin_atomic(uintptr_t address, unsigned bytes, const void *caller)
{
    struct request request = {
        .kind = REQUEST_ATOMIC, .address = address, .bytes = bytes, .instruction = caller};
    if (!the_machine.description.lock_bits || !memory_is_shared(address)) {
        operation(request);
        return false;
    }
    request.kind = REQUEST_LOCK_LOAD;
    do
        operation(request);
    while (!lock_try(current_lane, address));
    the_machine.counters.atomics++;
    return true;
}

/* ---- atomics ---- */

/*
 * The lane itself does the read-modify-write, when its turn at that address has come. Where it is a loop over
 * lock bits, a compare-and-swap has two instructions between load and store (Listing 3), the others one.
 */
#define ATOMIC(name, type, arguments, arithmetic, new_value)                                                 \
    type name arguments;                                                                                     \
    type name arguments                                                                                      \
    {                                                                                                        \
        bool locked = begin_atomic((uintptr_t)address, sizeof(type), __builtin_return_address(0));           \
        type old = *(type *)address, new = (new_value);                                                      \
        if (locked)                                                                                          \
            store_unlock((uintptr_t)address, arithmetic, __builtin_return_address(0));                       \
        *(type *)address = new;                                                                              \
        if (new != old)                                                                                      \
            scheduler_changed();                                                                             \
        return old;                                                                                          \
    }

ATOMIC(machine_atomic_add_32, uint32_t, (void *address, uint32_t value), 0, old + value)
ATOMIC(machine_atomic_add_64, uint64_t, (void *address, uint64_t value), 0, old + value)
ATOMIC(machine_atomic_max_32, uint32_t, (void *address, uint32_t value), 0, old > value ? old : value)
ATOMIC(machine_atomic_exchange_32, uint32_t, (void *address, uint32_t value), 0, value)
ATOMIC(machine_atomic_compare_swap_32, uint32_t, (void *address, uint32_t expected, uint32_t value), 1,
       old == expected ? value : old)

/*
 * An arrival at an mbarrier (PTX ISA): pending arrivals in the low half, the count of a phase above them, the
 * phase in the top bit. The last arrival of a phase begins the next.
 */
static uint64_t after_arrival(uint64_t state)
{
    uint64_t count = state << 1 >> 33;
    uint64_t next_phase = ((state & ~UINT64_C(0xffffffff)) ^ UINT64_C(1) << 63) | count;
    return (uint32_t)state == 1 ? next_phase : state - 1;
}
ATOMIC(machine_mbarrier_arrive, uint64_t, (void *address), 0, after_arrival(old))

void machine_named_barrier(int barrier, int threads, int wait);
void machine_named_barrier(int barrier, int threads, int wait)
{
    operation((struct request){.kind = wait ? REQUEST_NAMED_BARRIER : REQUEST_NAMED_ARRIVAL,
                               .value = (uint64_t)barrier,
                               .mask = (uint64_t)threads,
                               HERE});
}

void machine_convergence_set(void);
void machine_convergence_set(void)
{
    if (the_machine.description.lockstep)
        operation((struct request){.kind = REQUEST_CONVERGENCE_SET, HERE});
}

void machine_convergence_wait(void);
void machine_convergence_wait(void)
{
    if (the_machine.description.lockstep)
        operation((struct request){.kind = REQUEST_CONVERGENCE_WAIT, HERE});
}

/* The built-in variables. */

struct index3 {
    unsigned x, y, z;
};
struct index3 machine_thread_index(void);
struct index3 machine_thread_index(void)
{
    return (struct index3){current_lane->thread, 0, 0};
}

struct index3 machine_block_index(void);
struct index3 machine_block_index(void)
{
    return (struct index3){current_lane->warp->block->index, 0, 0};
}

struct index3 machine_block_dim(void);
struct index3 machine_block_dim(void)
{
    return (struct index3){the_machine.run.launch->block, 1, 1};
}

struct index3 machine_grid_dim(void);
struct index3 machine_grid_dim(void)
{
    return (struct index3){the_machine.run.launch->grid, 1, 1};
}

int machine_warp_size(void);
int machine_warp_size(void)
{
    return the_machine.description.warp_size;
}
