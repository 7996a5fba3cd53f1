/*
 * Branches, calls and moves of addresses (PTX ISA, "Control Flow Instructions", "Data Movement and Conversion
 * Instructions": mov, cvta, isspacep, mapa, getctarank). One file because a call is a branch that
 * moves parameters.
 */
#include "base/failure.h"
#include "machine/engine/clusters.h"
#include "machine/engine/deadlock.h"
#include "machine/memory/shared_memory.h"
#include "machine/ptx.h"
#include "machine/ptx/access.h"
#include "machine/ptx/undefined.h"
#include "machine/weak/weak_block.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- branches ---- */

/* number of backward branches without a request after which lanes let other lanes run, because they may wait
 * in a loop for another lane */
#define MOST_TURNS 4096

static const struct ptx_code *finish_pause(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    lanes->turns = 0;
    return code->target;
}

/* Goes to the branch's target. */
static const struct ptx_code *go(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (code->target > code || ++lanes->turns < MOST_TURNS)
        return code->target;
    return ptx_request_clock(code, lanes);
}

static const struct ptx_code *run_guarded_branch(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t all = lanes->mask, predicate = *PTX_AT(const uint32_t, lanes, code->guard);
    uint32_t taken = all & (code->guard_is_not ? ~predicate : predicate);
    if (!taken)
        return code + 1;
    if (taken != all) /* the lanes that go to the target may then be ahead of the others */
        ptx_part(lanes, all & ~taken, code + 1);
    return go(code, lanes);
}

static void decode_branch(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const struct ptx_statement *statement = decoder->statement;
    const struct ptx_argument *target = ptx_argument_of(decoder, 0);
    if (target->kind != PTX_IS_LABEL)
        ptx_unsupported(decoder, "its target is no label");
    code->target = ptx_target(decoder, target);
    if (!statement->guard)
        return;
    code->guarded = code->run = run_guarded_branch;
    code->guard = decoder->slots[statement->guard->number];
    code->guard_is_not = statement->guard_is_not;
}

/* A list of places to which brx.idx leads. */
struct places {
    unsigned count;
    const struct ptx_code *place[];
};

static const struct ptx_code *run_indexed_branch(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct places *places = code->more;
    const uint32_t *index = PTX_AT(const uint32_t, lanes, code->a);
    for (;;) {
        uint32_t same = 0, first = index[__builtin_ctz(lanes->mask)];
        FOR_EACH_LANE(l, lanes->mask) same |= (uint32_t)(index[l] == first) << l;
        if (first >= places->count)
            fail(EXIT_CANNOT, "brx.idx: index %u of a list of %u", first, places->count);
        if (same == lanes->mask)
            return places->place[first];
        ptx_part(lanes, same, places->place[first]);
    }
}

static void decode_indexed_branch(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const struct ptx_argument *list = ptx_argument_of(decoder, 1);
    if (list->kind != PTX_IS_TARGETS)
        ptx_unsupported(decoder, "its targets are no list");
    struct places *places = ptx_allocate(decoder->routine->function->module,
                                         sizeof *places + list->count * sizeof places->place[0]);
    places->count = list->count;
    for (unsigned i = 0; i < list->count; i++)
        places->place[i] = ptx_target(decoder, &list->items[i]);
    code->a = ptx_operand_at(decoder, 0, '4');
    code->more = places;
}

/* ---- calls ---- */

/* A value that a call copies between the private memories of two frames. */
struct copied {
    uint32_t from, bytes;
};

struct call {
    struct ptx_function *function; /* NULL if a register has its address */
    unsigned parameter_count, result_count;
    struct copied parameters[32], results[4];
};

static void copy_in(const struct call *call, const struct ptx_lanes *lanes, struct ptx_frame *caller)
{
    const struct ptx_function *callee = lanes->frame->routine->function;
    unsigned count =
        call->parameter_count < callee->parameter_count ? call->parameter_count : callee->parameter_count;
    FOR_EACH_LANE(l, lanes->mask)
    for (unsigned p = 0; p < count; p++)
        memcpy(ptx_private(lanes->frame, l) + callee->parameters[p].offset,
               ptx_private(caller, l) + call->parameters[p].from, call->parameters[p].bytes);
    for (unsigned p = 0; p < count && lanes->state->has_undefined; p++)
        ptx_undefined_copy(lanes->frame, callee->parameters[p].offset, caller, call->parameters[p].from,
                           call->parameters[p].bytes, lanes->mask);
}

static void copy_out(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    const struct call *call = code->more;
    struct ptx_frame *frame = lanes->frame, *caller = frame->caller;
    const struct ptx_function *callee = frame->routine->function;
    for (unsigned r = 0; r < call->result_count && r < callee->result_count; r++) {
        FOR_EACH_LANE(l, lanes->mask)
        memcpy(ptx_private(caller, l) + call->results[r].from,
               ptx_private(frame, l) + callee->results[r].offset, call->results[r].bytes);
        if (lanes->state->has_undefined)
            ptx_undefined_copy(caller, call->results[r].from, frame, callee->results[r].offset,
                               call->results[r].bytes, lanes->mask);
    }
}

static const struct ptx_code *enter(const struct ptx_code *code, struct ptx_lanes *lanes,
                                    struct ptx_function *function)
{
    const struct call *call = code->more;
    struct ptx_frame *caller = lanes->frame;
    ptx_call(lanes, code, ptx_routine_of(caller->routine->program, function));
    copy_in(call, lanes, caller);
    return NULL;
}

static const struct ptx_code *run_call(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    return enter(code, lanes, ((const struct call *)code->more)->function);
}

/* Returns the function that has this address in the program: the address of its struct ptx_function. */
static struct ptx_function *function_at(const struct ptx_lanes *lanes, uint64_t address)
{
    const struct ptx_module *module = lanes->frame->routine->function->module;
    size_t offset = address - (uintptr_t)module->functions;
    bool is_function = offset < module->function_count * sizeof *module->functions &&
                       offset % sizeof *module->functions == 0;
    if (!is_function)
        fail(EXIT_CANNOT, "%s: a call of 0x%llx, which is the address of no function of the module",
             module->name, (unsigned long long)address);
    return (struct ptx_function *)(uintptr_t)address;
}

static const struct ptx_code *run_indirect_call(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const uint64_t *address = PTX_AT(const uint64_t, lanes, code->a);
    uint64_t first = address[__builtin_ctz(lanes->mask)];
    uint32_t same = 0;
    FOR_EACH_LANE(l, lanes->mask) same |= (uint32_t)(address[l] == first) << l;
    if (same != lanes->mask) /* the lanes that call another function come here again */
        ptx_part(lanes, lanes->mask & ~same, code);
    return enter(code, lanes, function_at(lanes, first));
}

static const struct ptx_code *run_builtin(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct call *call = code->more;
    const struct ptx_frame *frame = lanes->frame;
    ptx_builtin *builtin = (ptx_builtin *)(uintptr_t)code->number;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t arguments[PTX_BUILTIN_ARGUMENTS] = {0}, result = 0;
        for (unsigned p = 0; p < call->parameter_count && p < PTX_BUILTIN_ARGUMENTS; p++)
            memcpy(&arguments[p], ptx_private(frame, l) + call->parameters[p].from,
                   call->parameters[p].bytes < 8 ? call->parameters[p].bytes : 8);
        ptx_becomes_running(lanes, l);
        result = builtin(arguments, code);
        if (call->result_count)
            memcpy(ptx_private(frame, l) + call->results[0].from, &result,
                   call->results[0].bytes < 8 ? call->results[0].bytes : 8);
    }
    return code + 1;
}

static unsigned decode_values(struct ptx_decoder *decoder, const struct ptx_argument *list,
                              struct copied *values, unsigned most)
{
    if (list->count > most)
        ptx_unsupported(decoder, "it has too many parameters");
    for (unsigned i = 0; i < list->count; i++) {
        const struct ptx_variable *variable = list->items[i].variable;
        if (!variable || variable->space != PTX_PARAMETER)
            ptx_unsupported(decoder, "a parameter is no variable of the space .param");
        values[i] = (struct copied){variable->offset, (uint32_t)variable->bytes};
    }
    return list->count;
}

static void __attribute__((noreturn)) refuse_call(const struct ptx_decoder *decoder, const char *name)
{
    char why[512];
    if (strstr(name, "GetParameterBuffer") || strstr(name, "LaunchDevice"))
        ptx_unsupported(decoder, "launches by kernels are not there");
    snprintf(why, sizeof why, "%s is only declared (-rdc=true links what several files define)", name);
    ptx_unsupported(decoder, why);
}

static void decode_call(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct call *call = ptx_allocate(decoder->routine->function->module, sizeof *call);
    unsigned next = 0;
    const struct ptx_argument *argument = ptx_argument_of(decoder, next++);
    if (argument->kind == PTX_IS_GROUP) {
        call->result_count = decode_values(decoder, argument, call->results, 4);
        argument = ptx_argument_of(decoder, next++);
    }
    code->more = call;
    call->function = argument->function;
    if (argument->kind == PTX_IS_VARIABLE) {
        code->run = run_indirect_call;
        code->a = ptx_operand_of(decoder, argument, '8');
    } else if (!call->function) {
        ptx_unsupported(decoder, "what it calls is no function");
    }
    if (next < decoder->statement->argument_count && ptx_argument_of(decoder, next)->kind == PTX_IS_GROUP)
        call->parameter_count = decode_values(decoder, ptx_argument_of(decoder, next), call->parameters, 32);
    if (call->function && !call->function->text) {
        ptx_builtin *builtin = ptx_builtin_named(call->function->name);
        if (!builtin)
            refuse_call(decoder, call->function->name);
        code->number = (uintptr_t)builtin;
        code->run = run_builtin;
        code->parts = false;
    }
}

static const struct ptx_code *run_return(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    (void)code;
    if (lanes->frame->caller)
        copy_out(lanes->frame->back, lanes);
    return ptx_return(lanes);
}

static const struct ptx_code *run_exit(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    (void)code;
    return ptx_exit(lanes);
}

static const struct ptx_code *run_trap(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    unsigned first = (unsigned)__builtin_ctz(lanes->mask);
    ptx_becomes_running(lanes, first);
    ptx_fault("executes a trap", SIGILL, code);
    return code + 1;
}

/* ---- moves ---- */

/* mov of an address in the frame's private memory */
static const struct ptx_code *run_move_private(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_frame *frame = lanes->frame;
    PTX_FOR_LANES(lanes, l,
                  PTX_AT(uint64_t, lanes, code->d)[l] = (uintptr_t)ptx_private(frame, l) + code->number;);
    return code + 1;
}

static const struct ptx_code *run_move_parameter(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint64_t address = (uintptr_t)lanes->warp->block->kernel->launch.closure + code->number;
    PTX_FOR_LANES(lanes, l, PTX_AT(uint64_t, lanes, code->d)[l] = address;);
    return code + 1;
}

/* mov between a register and a group of narrower ones. `more` is an access, whose items are the group. */
static const struct ptx_code *run_pack(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *group = code->more;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t value[2] = {0};
        for (unsigned i = 0; i < group->count; i++) {
            uint64_t part = ptx_lane_value(lanes, group->item[i], group->class[i], l);
            memcpy((unsigned char *)value + i * group->width, &part, group->width);
        }
        if (group->bytes == 16)
            ptx_set_wide(lanes, code->d, l, value);
        else
            ptx_set_lane_value(lanes, code->d, group->bytes == 8 ? '8' : '4', l, value[0]);
    }
    return code + 1;
}

static const struct ptx_code *run_unpack(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *group = code->more;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t value[2] = {0};
        if (group->bytes == 16)
            ptx_get_wide(lanes, code->a, l, value);
        else
            value[0] = ptx_lane_value(lanes, code->a, group->bytes == 8 ? '8' : '4', l);
        for (unsigned i = 0; i < group->count; i++) {
            uint64_t part = 0;
            memcpy(&part, (unsigned char *)value + i * group->width, group->width);
            ptx_set_lane_value(lanes, group->item[i], group->class[i], l, part);
        }
    }
    return code + 1;
}

static const struct ptx_access *group_of(struct ptx_decoder *decoder, const struct ptx_argument *group,
                                         unsigned bytes)
{
    struct ptx_access *access = ptx_allocate(decoder->routine->function->module, sizeof *access);
    access->count = group->count;
    access->bytes = bytes;
    access->width = bytes / (group->count ? group->count : 1);
    if (group->count > PTX_MOST_ITEMS || !access->width)
        ptx_unsupported(decoder, "its group has another size");
    for (unsigned i = 0; i < group->count; i++) {
        access->class[i] = access->width == 8 ? '8' : '4';
        access->item[i] = ptx_operand_of(decoder, &group->items[i], access->class[i]);
    }
    return access;
}

static const struct ptx_code *finish_clock(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t time = deadlock_clock(&lanes->warp->more[l], lanes->warp->more[l].result);
        if (code->b) /* the result is in nanoseconds */
            time = the_machine.description.clock_hz > 0
                       ? (uint64_t)((double)time * 1e9 / the_machine.description.clock_hz)
                       : time;
        ptx_set_lane_value(lanes, code->d, (char)code->c, l, time >> code->number);
    }
    return code + 1;
}

/* Decodes a read of a clock. Returns false if the special register is not a clock. */
static bool decode_clock(struct ptx_decoder *decoder, struct ptx_code *code, const char *name)
{
    bool is_high = strstr(name, "_hi") != NULL, is_global = strncmp(name, "%globaltimer", 12) == 0;
    if (strncmp(name, "%clock", 6) != 0 && !is_global)
        return false;
    bool is_wide = strcmp(name, "%clock64") == 0 || strcmp(name, "%globaltimer") == 0;
    code->c = is_wide ? '8' : '4';
    code->d = ptx_operand_at(decoder, 0, (char)code->c);
    code->b = is_global;
    code->number = is_high ? 32 : 0;
    code->run = ptx_request_clock;
    code->finish = finish_clock;
    return true;
}

/* Decodes a move of the address of a variable in private memory, or of a kernel's parameter. Returns false if
 * the source is not such an address. */
static bool decode_private_address(struct ptx_decoder *decoder, struct ptx_code *code,
                                   const struct ptx_argument *to, const struct ptx_argument *from)
{
    if (from->kind != PTX_IS_VARIABLE ||
        (from->variable->space != PTX_LOCAL && from->variable->space != PTX_PARAMETER))
        return false;
    bool is_parameter = from->variable->space == PTX_PARAMETER && decoder->routine->function->is_kernel;
    code->d = ptx_operand_of(decoder, to, '8');
    code->number = from->variable->offset + (uint64_t)from->number;
    code->run = is_parameter ? run_move_parameter : run_move_private;
    return true;
}

static void decode_move(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const struct ptx_argument *to = ptx_argument_of(decoder, 0), *from = ptx_argument_of(decoder, 1);
    unsigned bytes = ptx_width_of(ptx_type_of(decoder)) / 8;
    if (from->kind == PTX_IS_GROUP) {
        code->more = group_of(decoder, from, bytes);
        code->d = ptx_operand_of(decoder, to, bytes == 8 ? '8' : bytes == 16 ? 'Q' : '4');
        code->run = run_pack;
        code->hands = PTX_HANDS_PACKED;
    } else if (to->kind == PTX_IS_GROUP) {
        code->more = group_of(decoder, to, bytes);
        code->a = ptx_operand_of(decoder, from, bytes == 8 ? '8' : bytes == 16 ? 'Q' : '4');
        code->run = run_unpack;
        code->hands = PTX_HANDS_UNPACKED;
    } else if (decode_private_address(decoder, code, to, from)) {
        return;
    } else if (from->kind != PTX_IS_SPECIAL || !decode_clock(decoder, code, from->name)) {
        ptx_decode_arithmetic(decoder, code);
    }
}

/* ---- conversions of addresses ---- */

static const struct ptx_code *run_from_shared(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t offset = ptx_lane_value(lanes, code->a, (char)code->c, l);
        PTX_AT(uint64_t, lanes, code->d)[l] = shared_memory_at(lanes->warp->block, (uint32_t)offset);
    }
    return code + 1;
}

/* Returns the address in shared memory of a generic address: its offset, and the rank of another block. */
static uint32_t shared_of_address(struct block *block, uint64_t address)
{
    const struct block *owner = shared_memory_owner(block, address);
    if (!owner)
        return (uint32_t)(address - (uintptr_t)block->dynamic);
    uint32_t offset = (uint32_t)(address - (uintptr_t)owner->dynamic);
    return owner == block ? offset : shared_memory_offset_of_rank(offset, owner->index % cluster_size(owner));
}

static const struct ptx_code *run_to_shared(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t address = PTX_AT(const uint64_t, lanes, code->a)[l];
        ptx_set_lane_value(lanes, code->d, (char)code->c, l, shared_of_address(lanes->warp->block, address));
    }
    return code + 1;
}

static void decode_conversion(struct ptx_decoder *decoder, struct ptx_code *code)
{
    bool is_wide = ptx_has(decoder, "u64"), is_to = ptx_has(decoder, "to");
    bool is_shared = ptx_space_of(decoder) == PTX_SHARED;
    const struct ptx_argument *to = ptx_argument_of(decoder, 0), *from = ptx_argument_of(decoder, 1);
    char class = is_wide ? '8' : '4';
    code->c = (ptx_operand) class;
    if (!is_shared && decode_private_address(decoder, code, to, from))
        return;
    bool is_address = from->kind == PTX_IS_VARIABLE && from->variable->space != PTX_REGISTER && !is_shared;
    code->d = ptx_operand_of(decoder, to, is_shared && !is_to ? '8' : class);
    code->a = ptx_operand_of(decoder, from, is_shared && is_to ? '8' : class);
    if (is_shared)
        code->run = is_to ? run_to_shared : run_from_shared;
    else
        code->run = ptx_arithmetic(is_wide || is_address ? "mov.b64" : "mov.b32")->run;
}

static const struct ptx_code *run_is_space(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t bits = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t address = PTX_AT(const uint64_t, lanes, code->a)[l];
        bool is_private = ptx_is_private(lanes, address), is_shared = shared_memory_has(address), is = false;
        switch (code->number) {
        case PTX_SHARED:
            is = is_shared && (!code->b || !shared_memory_is_of_other(lanes->warp->block, address));
            break;
        case PTX_LOCAL:
            is = is_private;
            break;
        case PTX_GLOBAL:
            is = !is_private && !is_shared;
            break;
        default:
            break;
        }
        bits |= (uint32_t)is << l;
    }
    ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, bits);
    return code + 1;
}

static void decode_is_space(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->number = ptx_space_of(decoder);
    code->b = !ptx_has(decoder, "shared::cluster");
}

/* mapa: `number` says whether the address is generic, `f` is the class of the address. */
static const struct ptx_code *run_map_address(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct block *block = lanes->warp->block;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint32_t rank = PTX_AT(const uint32_t, lanes, code->b)[l];
        uint64_t address = ptx_lane_value(lanes, code->a, (char)code->f, l);
        uint32_t offset = code->number ? shared_of_address(block, address) : (uint32_t)address;
        offset = shared_memory_offset_of_rank(offset, rank);
        if (rank != block->index % cluster_size(block))
            the_machine.uses.cluster_memory = true;
        ptx_set_lane_value(lanes, code->d, (char)code->f, l,
                           code->number ? shared_memory_at(block, offset) : offset);
    }
    return code + 1;
}

static const struct ptx_code *run_get_rank(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct block *block = lanes->warp->block;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t address = ptx_lane_value(lanes, code->a, (char)code->f, l);
        uint32_t offset = code->number ? shared_of_address(block, address) : (uint32_t)address;
        uint32_t rank = offset >> 24 ? (offset >> 24) - 1 : block->index % cluster_size(block);
        PTX_AT(uint32_t, lanes, code->d)[l] = rank;
    }
    return code + 1;
}

static void decode_shared_address(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->number = !ptx_has(decoder, "shared::cluster");
    code->f = (ptx_operand)decoder->operation->operands[2];
}

/* ---- dependent launches ---- */

/* griddepcontrol.wait: nothing to wait for, because here a dependent kernel begins after the preceding
 * kernel's end */
static const struct ptx_code *run_wait_for_grid(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        ptx_becomes_running(lanes, l);
        if (the_machine.memory.is_weak)
            model_before_known(running_thread());
    }
    return code + 1;
}

static const char *unordered_waits;

void ptx_set_unordered_waits(const char *places)
{
    unordered_waits = places;
}

/* Is a line of the statement, or of a call by which it was inlined, in the list of
 * ptx_set_unordered_waits()? */
static bool is_unordered_wait(const struct ptx_decoder *decoder)
{
    const struct ptx_module *module = decoder->routine->function->module;
    uint32_t number = unordered_waits ? decoder->statement->source : 0;
    for (unsigned turns = 0; number && turns < 64; turns++) {
        const struct ptx_source *source = &module->sources[number];
        const char *path = source->file < module->file_count ? module->files[source->file] : NULL;
        const char *last = path ? strrchr(path, '/') : NULL;
        char place[512];
        int length = snprintf(place, sizeof place, "%s:%u\n",
                              last   ? last + 1
                              : path ? path
                                     : "",
                              source->line);
        for (const char *at = unordered_waits; length < (int)sizeof place && (at = strstr(at, place)); at++)
            if (at == unordered_waits || at[-1] == '\n')
                return true;
        number = source->inlined_at;
    }
    return false;
}

static void decode_grid_dependency(struct ptx_decoder *decoder, struct ptx_code *code)
{
    if (is_unordered_wait(decoder))
        code->run = ptx_nothing;
}

const struct ptx_operation ptx_control_operations[] = {
    {"bra", .run = go, .finish = finish_pause, .decode = decode_branch, .branches = true, .ends = true},
    {"brx", .run = run_indexed_branch, .parts = true, .decode = decode_indexed_branch, .branches = true,
     .ends = true},
    {"call", .run = run_call, .parts = true, .decode = decode_call, .calls = true, .writes = true},
    {"ret", .run = run_return, .parts = true, .ends = true},
    {"exit", .run = run_exit, .parts = true, .ends = true},
    {"trap", .run = run_trap, .ends = true},
    {"brkpt", .run = run_trap},
    {"mov", .decode = decode_move, .writes = true},
    {"cvta", .decode = decode_conversion, .writes = true, .is_free = true},
    {"isspacep", .operands = "p:8", .run = run_is_space, .decode = decode_is_space, .writes = true},
    {"mapa", "u64", .operands = "8:84", .run = run_map_address, .decode = decode_shared_address,
     .writes = true},
    {"mapa", .operands = "4:44", .run = run_map_address, .decode = decode_shared_address, .writes = true},
    {"getctarank", "shared::cluster", "u64", .operands = "4:4", .run = run_get_rank,
     .decode = decode_shared_address, .writes = true},
    {"getctarank", .operands = "4:8", .run = run_get_rank, .decode = decode_shared_address, .writes = true},
    {"griddepcontrol", "wait", .run = run_wait_for_grid, .decode = decode_grid_dependency},
    {"griddepcontrol", .run = ptx_nothing},
    {"alloca", "u32", .refusal = "addresses have 64 bits"},
    {"alloca", .run = ptx_run_allocation, .decode = ptx_decode_allocation, .writes = true},
    {"stacksave", .run = ptx_run_stack_save, .decode = ptx_decode_stack, .writes = true},
    {"stackrestore", .run = ptx_run_stack_restoration, .decode = ptx_decode_stack},
    {.names = NULL}};
