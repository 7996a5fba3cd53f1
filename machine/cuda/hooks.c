/*
 * The hooks that compiled kernels call. Kernels are compiled with -fsanitize=thread, but the sanitizer's
 * runtime is not linked: the first part of this file has its hooks. The compiled code calls a hook just
 * before the access that the hook announces, so a lane stops there until the access may take effect. The
 * second part has the hook that each basic block calls because of -fsanitize-coverage=trace-pc.
 */
#include "machine/code/calls.h"
#include "machine/code/instructions.h"
#include "machine/code/kernel_code.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/request.h"
#include "machine/engine/clock_waits.h"
#include "machine/engine/lanes.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/rules.h"
#include "machine/memory/shared_memory.h"
#include "machine/weak/weak_memory.h"

#include <string.h>

/* ---- loads and stores ---- */

static inline void announce(uintptr_t address, size_t bytes, enum request_kind kind, enum machine_scope scope,
                            const void *instruction, const void *frame)
{
    struct warp *warp = calling_warp();
    if (!warp) {
        if (__builtin_expect(bounds_are_checked, false))
            bounds_check_host(address, bytes, kind == REQUEST_STORE, scope != SCOPE_THREAD, instruction);
        return;
    }
    /* Kernel parameters are in the launch's closure. A load of a parameter is no request and costs
     * nothing, like constant memory on a GPU. */
    const struct machine_launch *launch = running.launch;
    if (lane_owns(address, frame) || address - (uintptr_t)launch->closure < launch->closure_bytes) {
        instructions_go_on(instruction);
        return;
    }
    if (__builtin_expect(bounds_are_checked, false))
        bounds_check(address, bytes, kind, instruction);
    struct lane *lane = &warp->lanes[running.lane];
    note_next_word(lane, kind, scope == SCOPE_THREAD, address, instruction);
    lane->address = address;
    lane->instruction = instruction;
    lane->bytes = (uint16_t)bytes;
    lane->kind = (uint8_t)kind;
    lane->plain = scope == SCOPE_THREAD;
    lane->of_mbarrier = false;
    if (scope == SCOPE_THREAD && ahead_goes(lane)) {
        shared_memory_install_at(warp->block, address);
        return;
    }
    lane_wait(frame);
    if (scope == SCOPE_SYSTEM && __builtin_expect(rules_are_checked, false))
        rules_volatile(kind, address, instruction);
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

/* A constructor or destructor stores the pointer to the object's virtual functions. */
void __tsan_vptr_update(void **pointer, void *value);
HOOK_OF_STORES void __tsan_vptr_update(void **pointer, void *value)
{
    (void)value;
    announce((uintptr_t)pointer, sizeof *pointer, REQUEST_STORE, SCOPE_THREAD, __builtin_return_address(0),
             __builtin_frame_address(0));
}
HOOK(__tsan_vptr_read, sizeof(void *), REQUEST_LOAD, SCOPE_THREAD)

/* ---- memcpy(), memmove() and memset() of a checked program (check/program.bash) ---- */

#define PIECE 8 /* size in bytes of a request of memcpy() and memset() */

/* Returns the size of the next piece, which is aligned, so that both sides are accessed as a loop over words
 * would access them. */
static size_t piece_of(uintptr_t address, size_t left)
{
    size_t piece = PIECE - address % PIECE;
    return piece < left ? piece : left;
}

/* Checks a move that host code makes; `from` is NULL for memset(). */
static void check_host_move(const void *to, const void *from, size_t bytes, const void *instruction)
{
    if (!bounds_are_checked || !bytes)
        return;
    if (from)
        bounds_check_host((uintptr_t)from, bytes, false, false, instruction);
    bounds_check_host((uintptr_t)to, bytes, true, false, instruction);
}

static void copy_piece(char *to, const char *from, size_t bytes, const void *instruction, const void *frame)
{
    unsigned char piece[PIECE];
    announce((uintptr_t)from, bytes, REQUEST_LOAD, SCOPE_THREAD, instruction, frame);
    memcpy(piece, from, bytes);
    announce((uintptr_t)to, bytes, REQUEST_STORE, SCOPE_THREAD, instruction, frame);
    memcpy(to, piece, bytes);
}

static void *move(char *to, const char *from, size_t bytes, const void *instruction, const void *frame)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        for (size_t at = 0, piece; at < bytes; at += piece) {
            piece = piece_of((uintptr_t)to + at, bytes - at);
            copy_piece(to + at, from + at, piece, instruction, frame);
        }
    else /* the end of `from` overlaps with the beginning of `to` */
        for (size_t at = bytes; at-- > 0;)
            copy_piece(to + at, from + at, 1, instruction, frame);
    return to;
}

#define COPY_HOOK(name)                                                                                      \
    void *machine_##name(void *to, const void *from, size_t bytes);                                          \
    HOOK_REQUEST void *machine_##name(void *to, const void *from, size_t bytes)                              \
    {                                                                                                        \
        if (!calling_warp()) {                                                                               \
            check_host_move(to, from, bytes, __builtin_return_address(0));                                   \
            return name(to, from, bytes);                                                                    \
        }                                                                                                    \
        return move(to, from, bytes, __builtin_return_address(0), __builtin_frame_address(0));               \
    }
COPY_HOOK(memcpy)
COPY_HOOK(memmove)

void *machine_memset(void *to, int value, size_t bytes);
HOOK_REQUEST void *machine_memset(void *to, int value, size_t bytes)
{
    if (!calling_warp()) {
        check_host_move(to, NULL, bytes, __builtin_return_address(0));
        return memset(to, value, bytes);
    }
    for (size_t at = 0, piece; at < bytes; at += piece) {
        char *here = (char *)to + at;
        piece = piece_of((uintptr_t)here, bytes - at);
        announce((uintptr_t)here, piece, REQUEST_STORE, SCOPE_THREAD, __builtin_return_address(0),
                 __builtin_frame_address(0));
        memset(here, value, piece);
    }
    return to;
}

void __tsan_init(void);
void __tsan_init(void) {}

/* ---- functions that are not inlined ---- */

void __tsan_func_entry(const void *back);
HOOK_NOTE void __tsan_func_entry(const void *back)
{
    if (running.warp)
        calls_enter(back);
}

void __tsan_func_exit(void);
HOOK_NOTE void __tsan_func_exit(void)
{
    if (running.warp)
        calls_leave();
}

/* ---- basic blocks ---- */

/* Returns whether this basic block is executed because of the result of the lane's last request, and this
 * request was an atomic, an LDSLK or a strong load. `needs` is the set of the requests that decided that the
 * block is executed. A load that acquires ends with a fence. */
static bool has_looked(const struct lane *lane, uint64_t needs)
{
    if (lane->plain) /* first, because plain accesses are frequent */
        return false;
    bool is_load = lane->kind == REQUEST_LOAD && !lane->plain;
    bool looks = is_load || lane->kind == REQUEST_ATOMIC || lane->kind == REQUEST_LOCK_LOAD;
    bool has_acquired =
        lane->kind == REQUEST_FENCE_ACQUIRE && lane->of_access && the_machine.description.poll_meet_latency;
    return ((looks && lane->address) || has_acquired) && needs >> lane->number & 1;
}

static lane_set with_lane(lane_set lanes, bool is_in)
{
    return is_in ? lanes | LANE(running.lane) : lanes & ~LANE(running.lane);
}

/*
 * Adds the time of the branch that led to this basic block, with which a loop begins again (`is_back`) or
 * after which it has ended. `to` is of the basic block. If the loop polls a word, the branch's time depends
 * on where the other lanes of the warp are, so work_add_polls() adds it later. If the loop does not poll,
 * only a quarter of the branch's time is added, because nvcc unrolls the loop by at least four.
 */
static void add_branch(struct warp *warp, const struct dependence *to, bool is_back)
{
    struct lane *lane = &warp->lanes[running.lane];
    uint64_t latency = (uint64_t)the_machine.description.branch_latency * PARTS_OF_A_UNIT;
    bool is_measured = the_machine.description.poll_latency != 0;
    bool looked = has_looked(lane, is_measured ? to->leaves : to->needs), waits = looked && is_measured;
    if (!running.ahead) /* a request after which a lane runs ahead reads no word that the lane polls */
        warp->looked = with_lane(warp->looked, waits);
    if (waits) {
        warp->more[running.lane].polled = lane->instruction;
        warp->looked_at_shared = with_lane(warp->looked_at_shared, shared_memory_has(lane->address));
        warp->looked_at_mbarrier = with_lane(warp->looked_at_mbarrier, lane->of_mbarrier);
        warp->looked_in_order = with_lane(warp->looked_in_order, lane->kind == REQUEST_FENCE_ACQUIRE);
    }
    if (is_back && !waits)
        lane->work.bound = work_sum(lane->work.bound, (uint32_t)(looked ? latency : latency / 4));
}

void __sanitizer_cov_trace_pc(void);
HOOK_OF_BLOCKS void __sanitizer_cov_trace_pc(void)
{
    struct warp *warp = calling_warp();
    if (!warp)
        return;
    const unsigned char *block = __builtin_return_address(0);
    size_t number = kernel_instruction_at(block);
    if (number == NO_INSTRUCTION) {
        if (rules_are_checked) /* a report on where the lane is needs it (machine_where()) */
            running.code = (uintptr_t)block;
        return;
    }
    if (__builtin_expect(clock_waits_watch, false))
        clock_waits_block(block);
    const struct hook_site *to = &hook_sites[number];
    struct lane *lane = &warp->lanes[running.lane];
    lane->needs |= to->dependence.needs;
    work_add_more(&lane->work, &to->work);
    bool is_back = (uintptr_t)block <= running.code;
    if (is_back && running.ahead)
        lane->turned = true;
    else if (is_back)
        warp->turned |= LANE(running.lane);
    if (to->is_join && the_machine.run.rejoins)
        reconvergence_pass(warp, LANE(running.lane), number);
    if (is_back || to->is_exit)
        add_branch(warp, &to->dependence, is_back);
    running.code = (uintptr_t)block;
}
