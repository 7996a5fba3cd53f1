/* The functions of machine/kernel_calls.h for barriers, exchange within a warp, fences, loads and stores
 * that name their order, and the built-in variables. */
#include "machine/kernel_calls.h"
#include "machine/code/instructions.h"
#include "machine/code/kernel_code.h"
#include "machine/cuda/request.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/rules.h"
#include "machine/memory/arrays.h"
#include "machine/memory/shared_memory.h"
#include "machine/weak/weak_memory.h"

#include <string.h>

/* ---- barriers, exchange, fences, loads and stores ---- */

HOOK_REQUEST void machine_syncthreads(void)
{
    request(REQUEST_BLOCK_BARRIER, 0, 0, HERE);
}

HOOK_REQUEST int machine_syncthreads_count(int predicate)
{
    running.warp->voting |= LANE(running.lane);
    if (predicate)
        running.warp->votes |= LANE(running.lane);
    request(REQUEST_BLOCK_BARRIER, 0, 0, HERE);
    return (int)running.warp->block->counted;
}

HOOK_NOTE void machine_barrier_place(int place)
{
    more_of_running_lane()->barrier_place = (unsigned)place;
}

HOOK_REQUEST void machine_syncwarp(uint64_t mask)
{
    more_of_running_lane()->mask = mask;
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
    struct lane_more *more = more_of_running_lane();
    more->mask = mask;
    more->value = value;
    more->source_lane = shuffle_source(mode, lane, width);
    more->source_is_named = mode == SHUFFLE_INDEX;
    request(REQUEST_SHUFFLE, 0, 0, HERE);
    return more->result;
}

HOOK_REQUEST uint64_t machine_ballot(uint64_t mask, int predicate)
{
    struct lane_more *more = more_of_running_lane();
    more->mask = mask;
    more->value = predicate ? 1 : 0;
    request(REQUEST_BALLOT, 0, 0, HERE);
    return more->result;
}

HOOK_REQUEST uint64_t machine_match(uint64_t mask, uint64_t value, int all)
{
    struct lane_more *more = more_of_running_lane();
    more->mask = mask;
    more->value = value;
    more->source_lane = all;
    request(REQUEST_MATCH, 0, 0, HERE);
    return more->result;
}

HOOK_REQUEST uint32_t machine_reduce(uint64_t mask, uint32_t value, enum machine_reduction operation)
{
    struct lane_more *more = more_of_running_lane();
    more->mask = mask;
    more->value = value;
    more->source_lane = operation;
    request(REQUEST_REDUCTION, 0, 0, HERE);
    return (uint32_t)more->result;
}

/* On coherent memory a fence of block scope orders nothing, because a block's threads share one
 * multiprocessor. It makes a request only if the machine's description gives it a time. */
HOOK_REQUEST void machine_fence(enum machine_scope scope, enum machine_order order)
{
    running_lane()->of_system = scope == SCOPE_SYSTEM;
    if (scope > SCOPE_BLOCK && (order == ORDER_RELEASE || order == ORDER_ACQUIRE))
        request(order == ORDER_RELEASE ? REQUEST_FENCE_RELEASE : REQUEST_FENCE_ACQUIRE, 0, 0, HERE);
    else if (scope > SCOPE_BLOCK)
        request_ahead(REQUEST_FENCE_FULL, HERE);
    else if (the_machine.description.fence_block_latency)
        request(REQUEST_FENCE_BLOCK, 0, 0, HERE);
    else
        instructions_go_on(HERE);
    if (rules_are_checked)
        rules_order(running.warp, LANE(running.lane));
    if (is_weak())
        weak_fence((struct strength){scope, order});
}

/* `is_any`: may the address be on the thread's own stack, or may host code call the function? */
#define LOAD(name, type, is_any)                                                                             \
    HOOK_REQUEST type name(const void *address, enum machine_scope scope, enum machine_order order)          \
    {                                                                                                        \
        if (is_any && is_private_atomic(address, sizeof(type), false, HERE, __builtin_frame_address(0)))     \
            return *(const type *)address;                                                                   \
        request(REQUEST_LOAD, (uintptr_t)address, sizeof(type), HERE);                                       \
        if (is_weak())                                                                                       \
            weak_load((uintptr_t)address, sizeof(type), (struct strength){scope, order}, HERE);              \
        type value = *(const type *)address;                                                                 \
        request_order(REQUEST_FENCE_ACQUIRE, scope, order, (const char *)HERE + 1);                          \
        return value;                                                                                        \
    }
LOAD(machine_load_32, uint32_t, false)
LOAD(machine_load_64, uint64_t, false)
LOAD(machine_load_any_32, uint32_t, true)
LOAD(machine_load_any_64, uint64_t, true)

HOOK_REQUEST void machine_store_32(void *address, uint32_t value, enum machine_scope scope,
                                   enum machine_order order)
{
    request_order(REQUEST_FENCE_RELEASE, scope, order, (const char *)HERE - 1);
    request(REQUEST_STORE, (uintptr_t)address, sizeof value, HERE);
    if (is_weak())
        weak_store((uintptr_t)address, sizeof value, (struct strength){scope, order}, HERE);
    *(uint32_t *)address = value;
}

HOOK_REQUEST void machine_load_bytes(void *to, const void *address, unsigned bytes, enum machine_scope scope,
                                     enum machine_order order)
{
    if (is_private_atomic(address, bytes, false, HERE, __builtin_frame_address(0))) {
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
    if (is_private_atomic(address, bytes, true, HERE, __builtin_frame_address(0))) {
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
    struct lane_more *more = more_of_running_lane();
    request(REQUEST_CLOCK, 0, 0, HERE);
    deadlock_forget_loads(more);
    return (long long)more->result;
}

HOOK_REQUEST void machine_sleep(unsigned nanoseconds)
{
    more_of_running_lane()->mask = nanoseconds;
    request(REQUEST_SLEEP, 0, 0, HERE);
}

HOOK_REQUEST void machine_pause(void)
{
    request(REQUEST_CLOCK, 0, 0, HERE);
}

HOOK_REQUEST void machine_named_barrier(int barrier, int threads, int wait)
{
    struct lane_more *more = more_of_running_lane();
    /* An invalid barrier number becomes a number that no barrier has, so that the rules' check reports it. */
    bool is_named = barrier >= 0 && barrier < NAMED_BARRIERS;
    more->value = is_named ? (uint64_t)barrier : (uint64_t)(unsigned)barrier + TILE_BARRIERS;
    more->mask = (uint64_t)threads;
    request(wait ? REQUEST_NAMED_BARRIER : REQUEST_NAMED_ARRIVAL, 0, 0, HERE);
}

HOOK_REQUEST void machine_tile_barrier(int tile, int threads)
{
    struct lane_more *more = more_of_running_lane();
    more->value = (uint64_t)(NAMED_BARRIERS + tile);
    more->mask = (uint64_t)threads;
    request(REQUEST_NAMED_BARRIER, 0, 0, HERE);
}

HOOK_NOTE void machine_arithmetic(int instructions)
{
    running_lane()->arithmetic += (uint32_t)instructions;
    /* The kernel's own code does the work of these instructions, so the work counted for this code is
     * removed. */
    running_lane()->work = (struct work){0};
}

HOOK_REQUEST void machine_convergence_set(void)
{
    if (the_machine.description.lockstep)
        request_ahead(REQUEST_CONVERGENCE_SET, HERE);
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

/* ---- the built-in variables ---- */

static struct machine_index index_in(struct machine_index extent, unsigned linear)
{
    if (extent.y == 1 && extent.z == 1)
        return (struct machine_index){linear, 0, 0};
    return (struct machine_index){linear % extent.x, linear / extent.x % extent.y,
                                  linear / extent.x / extent.y};
}

HOOK_PLACE struct machine_index machine_thread_index(void)
{
    return index_in(running.launch->block, thread_of(running.warp, running.lane));
}

HOOK_PLACE struct machine_index machine_block_index(void)
{
    return index_in(running.launch->grid, running.warp->block->index);
}

HOOK_PLACE struct machine_index machine_block_dim(void)
{
    return running.launch->block;
}

HOOK_PLACE struct machine_index machine_grid_dim(void)
{
    return running.launch->grid;
}

HOOK_VALUE int machine_is_pure(void)
{
    return the_machine.description.compute_capability == PURE_CAPABILITY;
}

HOOK_VALUE int machine_is_running(void)
{
    return calling_warp() != NULL;
}

HOOK_PLACE int machine_warp_size(void)
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

HOOK_PLACE int machine_lane(void)
{
    return (int)running.lane;
}

HOOK_VALUE void *machine_dynamic_shared(void)
{
    return running.warp->block->dynamic;
}

HOOK_VALUE int machine_is_shared(const void *address)
{
    return calling_warp() && shared_memory_has((uintptr_t)address);
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
    return grid_workspaces[running.warp->block->kernel - the_machine.run.kernels];
}
