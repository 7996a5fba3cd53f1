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

/* The lane itself does the read-modify-write, when its turn at that address has come. */
#define ATOMIC(name, type, arguments, new_value)                                                             \
    type name arguments;                                                                                     \
    type name arguments                                                                                      \
    {                                                                                                        \
        operation((struct request){                                                                          \
            .kind = REQUEST_ATOMIC, .address = (uintptr_t)address, .bytes = sizeof(type), HERE});            \
        type old = *(type *)address;                                                                         \
        *(type *)address = (new_value);                                                                      \
        return old;                                                                                          \
    }

ATOMIC(machine_atomic_add_32, uint32_t, (void *address, uint32_t value), old + value)
ATOMIC(machine_atomic_add_64, uint64_t, (void *address, uint64_t value), old + value)
ATOMIC(machine_atomic_max_32, uint32_t, (void *address, uint32_t value), old > value ? old : value)
ATOMIC(machine_atomic_exchange_32, uint32_t, (void *address, uint32_t value), value)
ATOMIC(machine_atomic_compare_swap_32, uint32_t, (void *address, uint32_t expected, uint32_t value),
       old == expected ? value : old)

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
