/* Asynchronous copies and mbarriers (PTX ISA, "Asynchronous copy", "mbarrier"). The engine does the copies
 * (machine/engine/copies.h). One file because copies signal mbarriers: an arrival, a wait and the arrival of
 * a copy are decoded as one kind of access. */
#include "machine/cuda/bounds.h"
#include "machine/engine/clusters.h"
#include "machine/engine/copies.h"
#include "machine/memory/shared_memory.h"
#include "machine/memory/mbarrier.h"
#include "machine/ptx/access.h"
#include "machine/ptx/tensor.h"
#include "machine/weak/weak_copy.h"
#include "machine/weak/weak_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- places: addresses among the operands ---- */

/* An address operand: `code` has the operand, `access` the state space. NULL means that the instruction has
 * no such operand. */
struct place {
    struct ptx_code code;
    struct ptx_access access;
};

static struct place *place_of(struct ptx_decoder *decoder, const struct ptx_argument *argument,
                              bool is_shared)
{
    struct place *place = ptx_allocate(decoder->routine->function->module, sizeof *place);
    place->access.space = is_shared ? PTX_SHARED : PTX_GENERIC;
    place->code.more = &place->access;
    ptx_decode_address(decoder, &place->code, &place->access, argument);
    return place;
}

static uint64_t address_in(const struct place *place, const struct ptx_lanes *lanes, unsigned l)
{
    return place ? ptx_address(&place->code, lanes, l) : 0;
}

/* ---- mbarriers ---- */

static uint64_t after_arrival(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                              uint64_t old)
{
    uint32_t count = PTX_AT(const uint32_t, lanes, code->b)[l];
    bool expects = code->c & 1, drops = code->c & 2;
    return expects ? mbarrier_after(old, (int32_t)count, 1, drops)
                   : mbarrier_after(old, 0, count, drops ? count : 0);
}

static uint64_t after_bytes(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                            uint64_t old)
{
    int32_t bytes = PTX_AT(const int32_t, lanes, code->b)[l];
    return mbarrier_after(old, code->c ? -bytes : bytes, 0, 0);
}

static struct ptx_access *begin_mbarrier(struct ptx_decoder *decoder, struct ptx_code *code,
                                         enum request_kind kind, enum machine_order order,
                                         const struct ptx_argument *address)
{
    struct ptx_access *access = ptx_begin_access(decoder, code, kind);
    bool names_scope = ptx_has(decoder, "cluster");
    access->of_mbarrier = true;
    access->plain = false;
    access->width = access->bytes = 8;
    access->count = 1;
    access->class[0] = '8';
    access->item[0] = access->other = PTX_NO_OPERAND;
    access->strength.order = ptx_has(decoder, "relaxed") ? ORDER_RELAXED : order;
    if (kind == REQUEST_ATOMIC)
        access->strength.order |= ORDER_ARRIVAL;
    access->strength.scope = names_scope ? SCOPE_CLUSTER : SCOPE_BLOCK;
    access->way = ATOMIC_CHANGES;
    ptx_decode_address(decoder, code, access, address);
    return access;
}

static const struct ptx_code *finish_initialization(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t address = lanes->warp->addresses[l];
        uint64_t word = mbarrier_at_first(PTX_AT(const uint32_t, lanes, code->b)[l]);
        ptx_move(code, lanes, l, address, &word);
        if (the_machine.memory.is_weak)
            weak_mbarrier_begins(address, code);
    }
    return code + 1;
}

static const struct ptx_code *finish_wait(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t passed = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t word;
        uint64_t parity = code->c ? PTX_AT(const uint32_t, lanes, code->b)[l]
                                  : PTX_AT(const uint64_t, lanes, code->b)[l] >> 63;
        ptx_move(code, lanes, l, lanes->warp->addresses[l], &word);
        passed |= (uint32_t)(word >> 63 != (parity & 1)) << l;
        if ((passed >> l & 1) && the_machine.memory.races)
            weak_wait_passed(lanes->warp->addresses[l], parity & 1, code);
    }
    ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, passed);
    return code + 1;
}

static const struct ptx_code *run_pending_count(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    PTX_AT(uint32_t, lanes, code->d)[l] = mbarrier_pending(PTX_AT(const uint64_t, lanes, code->a)[l]);
    return code + 1;
}

static void decode_arrival(struct ptx_decoder *decoder, struct ptx_code *code)
{
    /* The result, a state of the mbarrier, is optional. */
    unsigned at = ptx_argument_of(decoder, 0)->kind == PTX_IS_ADDRESS ? 0 : 1;
    struct ptx_access *access =
        begin_mbarrier(decoder, code, REQUEST_ATOMIC, ORDER_RELEASE, ptx_argument_of(decoder, at));
    if (at)
        access->item[0] = ptx_operand_at(decoder, 0, '8');
    access->after = after_arrival;
    code->b = at + 1 < decoder->statement->argument_count ? ptx_operand_at(decoder, at + 1, '4')
                                                          : ptx_constant(decoder, 1, '4');
    code->c = (ptx_operand)ptx_has(decoder, "expect_tx") | (ptx_operand)ptx_has(decoder, "arrive_drop") << 1;
}

static void decode_initialization(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct ptx_access *access =
        begin_mbarrier(decoder, code, REQUEST_STORE, ORDER_RELAXED, ptx_argument_of(decoder, 0));
    access->strength.scope = SCOPE_THREAD;
    access->of_mbarrier = false;
    access->plain = true;
    code->b = ptx_operand_at(decoder, 1, '4');
}

static void decode_wait(struct ptx_decoder *decoder, struct ptx_code *code)
{
    begin_mbarrier(decoder, code, REQUEST_LOAD, ORDER_ACQUIRE, ptx_argument_of(decoder, 1));
    code->c = ptx_has(decoder, "parity");
    code->d = ptx_operand_at(decoder, 0, 'p');
    code->b = ptx_operand_at(decoder, 2, code->c ? '4' : '8');
}

static void decode_bytes(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct ptx_access *access =
        begin_mbarrier(decoder, code, REQUEST_ATOMIC, ORDER_RELAXED, ptx_argument_of(decoder, 0));
    access->after = after_bytes;
    code->b = ptx_operand_at(decoder, 1, '4');
    code->c = ptx_has(decoder, "complete_tx");
}

/* ---- copies ---- */

struct copy {
    struct copy_request request; /* the members that are equal for all lanes */
    const struct place *to, *from, *mbarrier;
    ptx_operand bytes, bytes_from, mask; /* PTX_NO_OPERAND where an instruction has none */
    const struct ptx_access *values;     /* the group of values of st.async */
    /* for a copy of a tile: its tensor map, rank and coordinates; and what a reduction of it does with
     * elements of each type. NULL for other copies */
    const struct place *map;
    unsigned rank;
    ptx_operand at[PTX_MOST_RANK];
    struct ptx_reduction *reductions;
};

/* The request of an instruction that issues a copy takes as long as a read of the clock. */
static void issue(const struct ptx_code *code, struct copy_request asked, const void *data)
{
    bool is_bulk = asked.kind == COPY_BULK || asked.kind == REDUCE_BULK;
    if (bounds_are_checked && !asked.pieces)
        bounds_check_copy(asked.to, asked.from, asked.bytes, is_bulk, asked.mbarrier, code);
    for (unsigned p = 0; bounds_are_checked && p < asked.piece_count; p++) {
        const struct copy_piece *piece = &asked.pieces[p];
        bounds_check_copy(piece->is_written ? asked.to + (uintptr_t)piece->to : 0,
                          piece->is_read ? asked.from + (uintptr_t)piece->from : 0, piece->bytes, false,
                          asked.mbarrier, code);
    }
    copies_issue(&asked, data, code);
}

/* Returns the address of the corresponding place in the shared memory of the block of the running lane's
 * cluster that has this rank. */
static uintptr_t cluster_address(uintptr_t address, unsigned rank)
{
    const struct block *block = running.warp->block;
    size_t offset = shared_memory_offset(block, address);
    if (rank != block->index % cluster_size(block))
        the_machine.uses.cluster_memory = true;
    return shared_memory_at(block, shared_memory_offset_of_rank((uint32_t)offset, rank));
}

/* Issues a copy into the shared memory of each block of the cluster whose bit is set in the mask. */
static void issue_to_blocks(const struct ptx_code *code, struct copy_request asked, uint32_t mask)
{
    uintptr_t to = asked.to, mbarrier = asked.mbarrier;
    for (unsigned rank = 0; mask; mask >>= 1, rank++) {
        if (!(mask & 1))
            continue;
        asked.to = cluster_address(to, rank);
        asked.mbarrier = mbarrier ? cluster_address(mbarrier, rank) : 0;
        issue(code, asked, NULL);
    }
}

/* Makes the request of lane l one for the copy's tile. Returns the tile's pieces, which the caller frees. */
static struct copy_piece *find_tile(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                                    struct copy_request *asked)
{
    const struct copy *copy = code->more;
    const struct machine_launch *launch = running.launch;
    const uintptr_t map = address_in(copy->map, lanes, l), shared = asked->to | asked->from;
    const size_t offset = shared_memory_offset(running.warp->block, shared);
    int32_t at[PTX_MOST_RANK];
    struct ptx_tile tile;
    for (unsigned d = 0; d < copy->rank; d++)
        at[d] = PTX_AT(const int32_t, lanes, copy->at[d])[l];
    const uintptr_t parameters = (uintptr_t)launch->closure;
    const bool is_parameter = bounds_is_within(map, PTX_TENSOR_MAP, parameters, launch->closure_bytes);
    if ((is_parameter ? map - parameters : map) % 64)
        bounds_tell_use("copies by a tensor map whose address is no multiple of 64 bytes", code);
    if (!is_parameter) {
        if (ptx_is_private(lanes, map))
            bounds_tell_use("copies by a tensor map in the thread's own memory; a kernel's parameter needs "
                            "const __grid_constant__",
                            code);
        if (bounds_are_checked)
            bounds_check_copy(0, map, PTX_TENSOR_MAP, false, 0, code);
    }
    const char *why_not = ptx_find_tile(&tile, (const void *)map, copy->rank, at, offset, asked->to != 0);
    if (why_not)
        bounds_tell_use(why_not, code);
    *(asked->to ? &asked->from : &asked->to) = tile.begin;
    asked->bytes = asked->bytes_from = tile.bytes;
    asked->pieces = tile.pieces;
    asked->piece_count = tile.piece_count;
    if (copy->reductions) {
        const struct ptx_reduction *reduction = &copy->reductions[tile.type];
        if (reduction->why_not)
            bounds_tell_use("reduces a tile of a tensor whose elements have no such operation", code);
        asked->operation = reduction->operation;
        asked->combine = reduction->combine;
        asked->element = ptx_width_of(tile.type) / 8;
    }
    return tile.pieces;
}

const struct ptx_code *ptx_finish_issue(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct copy *copy = code->more;
    FOR_EACH_LANE(l, lanes->mask)
    {
        struct copy_request asked = copy->request;
        unsigned char data[16] = {0};
        ptx_becomes_running(lanes, l);
        asked.to = address_in(copy->to, lanes, l);
        asked.from = address_in(copy->from, lanes, l);
        asked.mbarrier = address_in(copy->mbarrier, lanes, l);
        if (copy->bytes != PTX_NO_OPERAND)
            asked.bytes = asked.bytes_from = PTX_AT(const uint32_t, lanes, copy->bytes)[l];
        struct copy_piece *pieces = copy->map ? find_tile(code, lanes, l, &asked) : NULL;
        if (copy->bytes_from != PTX_NO_OPERAND)
            asked.bytes_from = PTX_AT(const uint32_t, lanes, copy->bytes_from)[l];
        for (unsigned i = 0; copy->values && i < copy->values->count; i++) {
            uint64_t value = ptx_lane_value(lanes, copy->values->item[i], copy->values->class[i], l);
            memcpy(data + i * copy->values->width, &value, copy->values->width);
        }
        if (copy->mask != PTX_NO_OPERAND)
            issue_to_blocks(code, asked, PTX_AT(const uint32_t, lanes, copy->mask)[l] & UINT16_MAX);
        else
            issue(code, asked, copy->values ? data : NULL);
        free(pieces);
    }
    return code + 1;
}

static struct copy *begin_copy(struct ptx_decoder *decoder, struct ptx_code *code, enum copy_kind kind)
{
    struct copy *copy = ptx_allocate(decoder->routine->function->module, sizeof *copy);
    copy->request.kind = kind;
    copy->bytes = copy->bytes_from = copy->mask = PTX_NO_OPERAND;
    code->more = copy;
    return copy;
}

/* cp.async [to], [from], bytes {, bytes that are read} */
static void decode_small(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct copy *copy = begin_copy(decoder, code, COPY_SMALL);
    unsigned count = decoder->statement->argument_count;
    copy->to = place_of(decoder, ptx_argument_of(decoder, 0), true);
    copy->from = place_of(decoder, ptx_argument_of(decoder, 1), false);
    copy->bytes = ptx_operand_at(decoder, 2, '4');
    bool has_policy = ptx_has(decoder, "L2::cache_hint");
    if (count > 3u + has_policy) {
        const struct ptx_argument *read = ptx_argument_of(decoder, 3);
        if (ptx_class_of(read, '4') == 'p')
            ptx_unsupported(decoder, "its operand that ignores the source is not known");
        copy->bytes_from = ptx_operand_of(decoder, read, '4');
    }
}

/* Is the destination of a copy (nth == 0) or its source (nth == 1) in shared memory? The opcode names the
 * destination's state space first. */
static bool nth_is_shared(const struct ptx_decoder *decoder, unsigned nth)
{
    for (unsigned p = 1; p < decoder->part_count; p++) {
        bool shared = strncmp(decoder->parts[p], "shared", 6) == 0;
        if ((shared || strcmp(decoder->parts[p], "global") == 0) && nth-- == 0)
            return shared;
    }
    return false;
}

/* Sets the operation and the element of a reduction. */
static void decode_reduction(const struct ptx_decoder *decoder, struct copy_request *request)
{
    const struct ptx_reduction reduction = ptx_reduction_of(decoder);
    request->combine = reduction.combine;
    request->operation = reduction.operation;
    request->element = ptx_width_of(ptx_type_of(decoder)) / 8;
}

/* cp.async.bulk [to], [from], bytes {, [mbarrier]} {, mask of blocks} */
static void decode_bulk(struct ptx_decoder *decoder, struct ptx_code *code)
{
    bool reduces = strcmp(decoder->parts[1], "reduce") == 0, spreads = ptx_has(decoder, "multicast::cluster");
    bool tells = ptx_has(decoder, "mbarrier::complete_tx::bytes");
    struct copy *copy = begin_copy(decoder, code, reduces ? REDUCE_BULK : COPY_BULK);
    copy->to = place_of(decoder, ptx_argument_of(decoder, 0), nth_is_shared(decoder, 0));
    copy->from = place_of(decoder, ptx_argument_of(decoder, 1), nth_is_shared(decoder, 1));
    copy->bytes = ptx_operand_at(decoder, 2, '4');
    if (tells)
        copy->mbarrier = place_of(decoder, ptx_argument_of(decoder, 3), true);
    if (spreads)
        copy->mask = ptx_operand_at(decoder, 3u + tells, '4');
    if (reduces)
        decode_reduction(decoder, &copy->request);
}

/* The operands of a copy of a tile: [to], [map, {coordinates}], [mbarrier] {, mask of blocks}; or
 * [map, {coordinates}], [from] */
static void decode_tile(struct ptx_decoder *decoder, struct ptx_code *code)
{
    bool reduces = strcmp(decoder->parts[1], "reduce") == 0, loads = nth_is_shared(decoder, 0);
    struct copy *copy = begin_copy(decoder, code, reduces ? REDUCE_BULK : COPY_BULK);
    const struct ptx_argument *tensor = ptx_argument_of(decoder, loads), *items;
    copy->map = place_of(decoder, tensor, false);
    unsigned count;
    items = tensor->count == 1 ? ptx_items_of(tensor->items, &count) : NULL;
    copy->rank = ptx_which(decoder, "1d|2d|3d|4d|5d") + 1;
    if (!items || copy->rank > PTX_MOST_RANK || count != copy->rank)
        ptx_unsupported(decoder, "it has not as many coordinates as dimensions");
    for (unsigned d = 0; d < copy->rank; d++)
        copy->at[d] = ptx_operand_of(decoder, &items[d], '4');
    *(loads ? &copy->to : &copy->from) = place_of(decoder, ptx_argument_of(decoder, !loads), true);
    if (loads)
        copy->mbarrier = place_of(decoder, ptx_argument_of(decoder, 2), true);
    if (ptx_has(decoder, "multicast::cluster"))
        copy->mask = ptx_operand_at(decoder, 3, '4');
    if (!reduces)
        return;
    copy->reductions = ptx_allocate(decoder->routine->function->module, PTX_TYPES * sizeof *copy->reductions);
    for (unsigned type = 0; type < PTX_TYPES; type++)
        copy->reductions[type] = ptx_reduction_on(decoder, (enum ptx_type)type);
}

/* st.async [to], value or {values}, [mbarrier]; red.async [to], value, [mbarrier] */
void ptx_decode_store_async(struct ptx_decoder *decoder, struct ptx_code *code)
{
    bool reduces = strcmp(decoder->parts[0], "red") == 0;
    struct ptx_access *values = ptx_allocate(decoder->routine->function->module, sizeof *values);
    values->width = ptx_width_of(ptx_type_of(decoder)) / 8;
    ptx_decode_items(decoder, values, ptx_argument_of(decoder, 1));
    if (values->bytes > 16)
        ptx_unsupported(decoder, "it stores more than 16 bytes");
    struct copy *copy = begin_copy(decoder, code, reduces ? REDUCE_ASYNC : STORE_ASYNC);
    if (reduces)
        decode_reduction(decoder, &copy->request);
    copy->to = place_of(decoder, ptx_argument_of(decoder, 0), true);
    copy->mbarrier = place_of(decoder, ptx_argument_of(decoder, 2), true);
    copy->values = values;
    copy->request.bytes = values->bytes;
}

/* ---- groups of copies, and arrivals of copies ---- */

enum { IS_BULK = GROUPS_BULK, IS_READ = 2 };

static enum copy_groups kind_of(const struct ptx_code *code)
{
    return code->number & IS_BULK ? GROUPS_BULK : GROUPS_SMALL;
}

static const struct ptx_code *finish_commit(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        ptx_becomes_running(lanes, l);
        copies_commit(kind_of(code));
    }
    return code + 1;
}

/* Lanes whose copies are not complete ask again. */
static const struct ptx_code *finish_group_wait(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const enum copy_groups kind = kind_of(code);
    const bool reads = code->number & IS_READ;
    uint32_t waiting = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        ptx_becomes_running(lanes, l);
        unsigned groups = copies_groups_before(kind, PTX_AT(const uint32_t, lanes, code->a)[l]);
        if (copies_done(kind, groups, reads))
            copies_learn(kind, groups, reads);
        else
            waiting |= UINT32_C(1) << l;
    }
    if (waiting != lanes->mask && waiting)
        ptx_part(lanes, lanes->mask & ~waiting, code + 1);
    if (!waiting)
        return code + 1;
    return ptx_request_clock(code, lanes);
}

/* cp.async.mbarrier.arrive: without .noinc, the phase needs one arrival more, so its count of arrivals
 * goes down by one first. */
static uint64_t after_one_more(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                               uint64_t old)
{
    (void)code, (void)lanes, (void)l;
    return mbarrier_after(old, 0, (uint32_t)-1, 0);
}

static const struct ptx_code *finish_arrival(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    if (lanes->stage == 1 && access->after) {
        struct ptx_lanes some = *lanes;
        ptx_finish_atomic(code, &some);
        return ptx_request_clock(code, lanes);
    }
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t mbarrier = ptx_address(code, lanes, l);
        ptx_becomes_running(lanes, l);
        if (bounds_are_checked)
            bounds_check_copy(0, 0, 0, false, mbarrier, code);
        copies_issue_arrival(mbarrier, code);
    }
    return code + 1;
}

static void decode_group(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->number =
        (uint64_t)(ptx_has(decoder, "bulk") ? IS_BULK : 0) | (ptx_has(decoder, "read") ? IS_READ : 0);
    code->a =
        ptx_has(decoder, "wait_group") ? ptx_operand_at(decoder, 0, '4') : ptx_constant(decoder, 0, '4');
}

static void decode_copy_arrival(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct ptx_access *access =
        begin_mbarrier(decoder, code, REQUEST_ATOMIC, ORDER_RELAXED, ptx_argument_of(decoder, 0));
    access->after = ptx_has(decoder, "noinc") ? NULL : after_one_more;
    code->run = access->after ? ptx_run_atomic : ptx_request_clock;
}

#define ISSUE .run = ptx_request_clock, .finish = ptx_finish_issue
const struct ptx_operation ptx_copy_operations[] = {
    {"cp", "commit_group", .run = ptx_request_clock, .finish = finish_commit, .decode = decode_group},
    {"cp", "wait_group|wait_all", .run = ptx_request_clock, .finish = finish_group_wait,
     .decode = decode_group},
    {"cp", "mbarrier", .finish = finish_arrival, .decode = decode_copy_arrival},
    {"cp", "im2col|im2col::w|im2col::w::128|tile::gather4|tile::scatter4",
     .refusal = "of the copies of a tensor only those of a tile are known"},
    {"cp", "prefetch", .run = ptx_nothing},
    {"cp", "tensor", ISSUE, .decode = decode_tile},
    {"cp", "bulk", ISSUE, .decode = decode_bulk},
    {"cp", ISSUE, .decode = decode_small},
    {"mbarrier", "inval", .run = ptx_nothing, .writes = true},
    {"mbarrier", "init", .run = ptx_run_store, .finish = finish_initialization,
     .decode = decode_initialization, .writes = true},
    {"mbarrier", "pending_count", .operands = "4:8", .run = run_pending_count, .writes = true},
    {"mbarrier", "test_wait|try_wait", .run = ptx_run_load, .finish = finish_wait, .decode = decode_wait,
     .writes = true},
    {"mbarrier", "arrive|arrive_drop", .run = ptx_run_atomic, .finish = ptx_finish_atomic,
     .decode = decode_arrival, .writes = true},
    {"mbarrier", "expect_tx|complete_tx", .run = ptx_run_atomic, .finish = ptx_finish_atomic,
     .decode = decode_bytes, .writes = true},
    {"mbarrier", .refusal = "it is not known"},
    {"tensormap", .refusal = "only the host can change tensor maps here"},
    {"multimem", .refusal = "multicast objects of several GPUs are not there"},
    {.names = NULL}};
