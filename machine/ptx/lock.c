#include "machine/ptx/lock.h"
#include "machine/cuda/bounds.h"
#include "machine/engine/groups.h"
#include "machine/memory/shared_memory.h"
#include "machine/memory/lock_unit.h"
#include "machine/weak/weak_memory.h"

/* numbers of dependent instructions: a backward branch, and the instructions between LDSLK and STSUL of a
 * compare-and-swap (ISETP and SEL: Li 2015, Listing 3) and of other atomics (IADD, MOV32I: Listings 1 and
 * 3) */
enum { OF_BRANCH = 1, OF_COMPARE_SWAP = 2, OF_OTHER_ATOMIC = 1 };

bool ptx_has_lock_bit(uint64_t address)
{
    return the_machine.description.lock_bits && shared_memory_has(address);
}

/* Counts instructions of a lane that form a dependent chain, in place of the work counted for the kernel's
 * code. */
static void add_arithmetic(struct lane *lane, unsigned instructions)
{
    lane->arithmetic += instructions;
    lane->work = (struct work){0};
}

static bool try_lock(const struct ptx_lanes *lanes, unsigned l)
{
    struct lane_more *more = &lanes->warp->more[l];
    struct block *block = lanes->warp->block;
    uintptr_t address = lanes->warp->addresses[l];
    if (lock_try(block, thread_of(lanes->warp, l), address)) {
        more->refused = 0;
        return true;
    }
    if (more->refused++ == 0)
        more->refused_since = lock_bit_of(block, address)->turns;
    return false;
}

/* Returns the lanes that get the lock bits of their words, in the order of the lanes. */
static uint32_t try_locks(const struct ptx_lanes *lanes)
{
    uint32_t taken = 0;
    FOR_EACH_LANE(l, lanes->mask) taken |= (uint32_t)try_lock(lanes, l) << l;
    return taken;
}

/* ---- atomics ---- */

void ptx_lock_request(const struct ptx_lanes *lanes)
{
    together_end(lanes->warp); /* the lanes will differ: some get their lock bits, others do not */
    FOR_EACH_LANE(l, lanes->mask) lanes->warp->lanes[l].kind = REQUEST_LOCK_LOAD;
}

const struct ptx_code *ptx_lock_take(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    bool is_swap = access->operation == OPERATION_COMPARE_SWAP;
    together_end(lanes->warp);
    uint32_t taken = try_locks(lanes), refused = lanes->mask & ~taken;
    FOR_EACH_LANE(l, refused) add_arithmetic(&lanes->warp->lanes[l], OF_BRANCH);
    FOR_EACH_LANE(l, taken)
    {
        struct lane *lane = &lanes->warp->lanes[l];
        the_machine.counters.atomics++;
        add_arithmetic(lane, is_swap ? OF_COMPARE_SWAP : OF_OTHER_ATOMIC);
        lane->kind = REQUEST_STORE_UNLOCK;
        lane->bytes = 4;
        /* The two requests of the atomic, LDSLK and STSUL, need different addresses; STSUL gets the odd one.
         * In a lockstep warp, lanes that have their lock bits store before the other lanes try again
         * (machine/engine/policy.c), as in the predicated code of Li 2015, Listing 1. */
        lane->instruction = (const char *)code - 1;
    }
    if (refused)
        ptx_part(lanes, refused, code);
    return ptx_stop(lanes, code);
}

void ptx_lock_free(const struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask) lock_release(lanes->warp->block, lanes->warp->addresses[l]);
}

/* ---- the kernels' own LDSLK and STSUL ---- */

static const struct ptx_code *run_access(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    together_end(lanes->warp); /* the lanes will differ: some get their lock bits, others do not */
    ptx_request(lanes, code, access->kind);
    FOR_EACH_LANE(l, lanes->mask)
    {
        lanes->warp->addresses[l] = lanes->warp->lanes[l].address = ptx_address(code, lanes, l);
        lanes->warp->lanes[l].bytes = (uint16_t)access->bytes;
        if (__builtin_expect(bounds_are_checked, false)) {
            ptx_becomes_running(lanes, l);
            bounds_check(lanes->warp->lanes[l].address, 4, access->kind, code);
        }
    }
    return ptx_stop(lanes, code);
}

/* PTX's memory model does not cover the older lock unit; here an LDSLK acquires and gets the newest value. */
static const struct ptx_code *finish_load(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t taken = try_locks(lanes);
    FOR_EACH_LANE(l, lanes->mask)
    {
        uintptr_t address = lanes->warp->addresses[l];
        if (the_machine.memory.is_weak) {
            enum machine_order order = taken >> l & 1 ? ORDER_ACQUIRE : ORDER_RELAXED;
            ptx_becomes_running(lanes, l);
            weak_atomic_begins(address, 4, (struct strength){SCOPE_BLOCK, order}, code);
            weak_atomic_ends(false);
        }
        ptx_set_lane_value(lanes, code->d, '4', l, *(const uint32_t *)address);
        if (the_machine.memory.is_weak)
            weak_access_ends();
    }
    ptx_set_predicate(PTX_AT(uint32_t, lanes, code->e), lanes, taken);
    return code + 1;
}

static const struct ptx_code *finish_store(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    ptx_lock_free(lanes);
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint32_t value = (uint32_t)ptx_lane_value(lanes, code->b, '4', l);
        ptx_move(code, lanes, l, lanes->warp->addresses[l], &value);
    }
    note_change();
    return code + 1;
}

static void decode_access(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const bool is_load = decoder->operation->writes;
    struct ptx_access *access =
        ptx_begin_access(decoder, code, is_load ? REQUEST_LOCK_LOAD : REQUEST_STORE_UNLOCK);
    const struct ptx_argument *first = ptx_argument_of(decoder, 0), *second = ptx_argument_of(decoder, 1);
    access->bytes = 4;
    access->strength = (struct strength){SCOPE_BLOCK, ORDER_RELEASE};
    ptx_decode_address(decoder, code, access, is_load ? second : first);
    if (!is_load) {
        code->b = ptx_operand_of(decoder, second, '4');
        return;
    }
    if (first->kind != PTX_IS_PAIR)
        ptx_unsupported(decoder, "its result is no pair");
    code->d = ptx_operand_of(decoder, &first->items[0], '4');
    code->e = ptx_operand_of(decoder, &first->items[1], 'p');
}

/* ---- convergence points, and arithmetic ---- */

static const struct ptx_code *run_point(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (!code->finish)
        return code + 1;
    ptx_request(lanes, code, (enum request_kind)code->number);
    return ptx_stop(lanes, code);
}

static const struct ptx_code *run_arithmetic(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    lanes->passed.work = (struct work){0};
    FOR_EACH_LANE(l, lanes->mask)
    add_arithmetic(&lanes->warp->lanes[l], PTX_AT(const uint32_t, lanes, code->a)[l]);
    return code + 1;
}

static void decode_point(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->number = ptx_has(decoder, "ssy") ? REQUEST_CONVERGENCE_SET : REQUEST_CONVERGENCE_WAIT;
    decoder->routine->program->has_points = true;
    if (decoder->routine->program->is_lockstep) /* this does not end a run of instructions */
        code->finish = ptx_nothing;
}

const struct ptx_operation ptx_lock_operations[] = {
    {"gpusync", "load", .run = run_access, .finish = finish_load, .decode = decode_access, .writes = true},
    {"gpusync", "unlock", .run = run_access, .finish = finish_store, .decode = decode_access},
    {"gpusync", "arithmetic", .operands = ":4", .run = run_arithmetic, .is_free = true},
    {"gpusync", "ssy|sync", .run = run_point, .decode = decode_point, .parts = true, .is_free = true},
    {"gpusync", .refusal = "it is not known"},
    {.names = NULL}};
