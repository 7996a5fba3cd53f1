/* Makes the requests of the running lane, for the compiler's hooks (hooks.c) and for the functions that a
 * kernel calls. */
#ifndef MACHINE_REQUEST_H
#define MACHINE_REQUEST_H

#include "machine/cuda/bounds.h"
#include "machine/engine/lanes.h"

#define HERE __builtin_return_address(0)

#define VECTOR_BYTES 16 /* size of the widest access, in bytes (PTX ISA, vectors) */

static inline bool is_weak(void)
{
    return __builtin_expect(the_machine.memory.is_weak, false);
}

/* Notes whether the access begins where the lane's last access ended, within an aligned vector. A machine on
 * which each thread waits for each of its requests has no vector accesses. */
static inline void note_next_word(struct lane *lane, enum request_kind kind, bool plain, uintptr_t address,
                                  const void *instruction)
{
    lane->is_next_word = kind <= REQUEST_STORE && kind == lane->kind && plain == lane->plain &&
                         address == lane->address + lane->bytes && address % VECTOR_BYTES != 0 &&
                         instruction != lane->instruction && the_machine.description.loads_under_way > 1;
}

/* Fills in a request of the running lane. The caller has set those members of the lane's request that have no
 * parameter here. Inline, because the machine's speed depends on it. */
static inline struct lane *fill_request(enum request_kind kind, uintptr_t address, unsigned bytes,
                                        const void *instruction)
{
    if (bytes && __builtin_expect(bounds_are_checked, false))
        bounds_check(address, bytes, kind, instruction);
    struct lane *lane = running_lane();
    note_next_word(lane, kind, false, address, instruction);
    lane->kind = (uint8_t)kind;
    lane->plain = false;
    lane->of_access = false;
    lane->of_mbarrier = lane->next_of_mbarrier;
    lane->next_of_mbarrier = false;
    lane->address = address;
    lane->bytes = (uint16_t)bytes;
    lane->instruction = instruction;
    return lane;
}

/* Makes a request of the running lane; returns when the request may take effect. */
static inline void request(enum request_kind kind, uintptr_t address, unsigned bytes, const void *instruction)
{
    fill_request(kind, address, bytes, instruction);
    lane_wait(__builtin_frame_address(0));
}

/* Makes a request without an address whose effect is not seen by the lane's own code. */
static inline void request_ahead(enum request_kind kind, const void *instruction)
{
    if (!ahead_goes(fill_request(kind, 0, 0, instruction)))
        lane_wait(__builtin_frame_address(0));
}

/* Makes the request of a fence in addition to an access: the fence that orders as much as the memory order of
 * the access does. `kind` is REQUEST_FENCE_RELEASE before an access, and REQUEST_FENCE_ACQUIRE after it. The
 * function does nothing if the access has no such order. */
static inline void request_order(enum request_kind kind, enum machine_scope scope, enum machine_order order,
                                 const void *instruction)
{
    enum machine_order needed = kind == REQUEST_FENCE_RELEASE ? ORDER_RELEASE : ORDER_ACQUIRE;
    running_lane()->of_system = scope == SCOPE_SYSTEM;
    if (scope <= SCOPE_BLOCK || !(order & needed))
        return;
    request(kind, 0, 0, instruction);
    running_lane()->of_access = true;
}

/* Returns true if an access is not a request to the machine: host code makes it, or its address is on the
 * running lane's own stack. */
static inline bool is_private(const void *address, const void *frame)
{
    return !calling_warp() || lane_owns((uintptr_t)address, frame);
}

/* Returns true if an atomic access is not a request to the machine, as is_private() does. If host code makes
 * the access, checks it. */
static inline bool is_private_atomic(const void *address, unsigned bytes, bool writes,
                                     const void *instruction, const void *frame)
{
    if (!calling_warp() && bounds_are_checked)
        bounds_check_host((uintptr_t)address, bytes, writes, true, instruction);
    return is_private(address, frame);
}

#endif
