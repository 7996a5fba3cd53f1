/*
 * Private memory: the objects of a thread's local variables, and the stack for alloca (PTX ISA, "Stack
 * Manipulation Instructions"). A lane's stack is created by the first alloca of its warp. Memory that a
 * function has allocated is freed when the function returns.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "machine/cuda/bounds.h"
#include "machine/ptx/access.h"
#include "machine/ptx/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- local arrays ---- */

#define GAP 64 /* bytes between two local arrays */

/* nvcc declares one variable for all local arrays and address-taken variables of a function. It makes a
 * pointer to one of them by adding the place at which it begins, `add.u64 %rd1, %SP, 24;`, and accesses
 * constant places directly, [%SP+28]. So the constants in such additions are the places at which objects
 * begin. An object that is only accessed directly counts as part of the preceding object. */
struct arrays {
    struct ptx_variable *variable;
    bool *is_base; /* for each register: does it have the address of the variable? */
    uint32_t *begins;
    size_t count;
    bool is_plain; /* is the address used only in such additions and accesses? */
};

static bool is_base(const struct arrays *arrays, const struct ptx_argument *argument)
{
    const struct ptx_variable *variable = argument->variable;
    return variable && (variable == arrays->variable ||
                        (variable->space == PTX_REGISTER && arrays->is_base[variable->number]));
}

static bool has_base(const struct arrays *arrays, const struct ptx_argument *argument)
{
    bool has = is_base(arrays, argument);
    for (unsigned i = 0; i < argument->count; i++)
        has |= has_base(arrays, &argument->items[i]);
    return has;
}

static bool is_register(const struct ptx_argument *argument)
{
    return argument->kind == PTX_IS_VARIABLE && argument->variable->space == PTX_REGISTER;
}

/* Does the statement copy the variable's address? Then its destination register has the address, too. */
static bool copies_base(struct arrays *arrays, const struct ptx_statement *statement)
{
    const struct ptx_argument *arguments = statement->arguments;
    bool copies =
        (strncmp(statement->opcode, "mov.", 4) == 0 || strncmp(statement->opcode, "cvta.", 5) == 0) &&
        statement->argument_count == 2 && is_register(arguments) && arguments[1].kind == PTX_IS_VARIABLE &&
        !arguments[1].number && is_base(arrays, &arguments[1]);
    if (copies)
        arrays->is_base[arguments[0].variable->number] = true;
    return copies;
}

/* Does the statement make a pointer to one of the arrays? */
static bool makes_pointer(const struct arrays *arrays, const struct ptx_statement *statement)
{
    const struct ptx_argument *arguments = statement->arguments;
    return strncmp(statement->opcode, "add.", 4) == 0 && statement->argument_count == 3 &&
           is_register(arguments) && !is_base(arrays, arguments) && is_register(&arguments[1]) &&
           is_base(arrays, &arguments[1]) && arguments[2].kind == PTX_IS_NUMBER &&
           (uint64_t)arguments[2].number < arrays->variable->bytes;
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void note_begin(struct arrays *arrays, uint32_t begin)
{
    for (size_t b = 0; b < arrays->count; b++)
        if (arrays->begins[b] == begin)
            return;
    arrays->begins = with_room(arrays->begins, sizeof begin, arrays->count, 1);
    arrays->begins[arrays->count++] = begin;
}

/* Finds where the arrays begin. */
static void find_arrays(struct arrays *arrays, const struct ptx_body *body)
{
    note_begin(arrays, 0);
    arrays->is_plain = true;
    for (size_t s = 0; s < body->statement_count; s++) {
        const struct ptx_statement *statement = &body->statements[s];
        if (copies_base(arrays, statement))
            continue;
        if (makes_pointer(arrays, statement)) {
            note_begin(arrays, (uint32_t)statement->arguments[2].number);
            continue;
        }
        for (unsigned i = 0; i < statement->argument_count; i++)
            arrays->is_plain &=
                statement->arguments[i].kind == PTX_IS_ADDRESS || !has_base(arrays, &statement->arguments[i]);
    }
    qsort(arrays->begins, arrays->count, sizeof *arrays->begins, by_number);
}

/* Moves a place in the variable to where its array is now. */
static void move_place(const struct arrays *arrays, uint32_t gap, int64_t *place)
{
    size_t a = 0;
    while (a + 1 < arrays->count && (int64_t)arrays->begins[a + 1] <= *place)
        a++;
    *place += (int64_t)a * gap;
}

static void note_object(struct ptx_body *body, uint32_t begin, uint32_t bytes)
{
    body->objects = with_room(body->objects, sizeof *body->objects, body->object_count, 1);
    body->objects[body->object_count++] = (struct ptx_object){begin, bytes};
}

/* Makes an object of each array in the variable, with gaps between the objects. */
static void part(const struct arrays *arrays, struct ptx_body *body)
{
    struct ptx_variable *variable = arrays->variable;
    const uint32_t gap = variable->align > GAP ? variable->align : GAP;
    for (size_t a = 0; a < arrays->count; a++) {
        uint32_t begin = arrays->begins[a];
        uint32_t end = a + 1 < arrays->count ? arrays->begins[a + 1] : (uint32_t)variable->bytes;
        note_object(body, variable->offset + begin + (uint32_t)a * gap, end - begin);
    }
    for (size_t s = 0; s < body->statement_count; s++) {
        struct ptx_statement *statement = &body->statements[s];
        if (makes_pointer(arrays, statement))
            move_place(arrays, gap, &statement->arguments[2].number);
        for (unsigned i = 0; i < statement->argument_count; i++)
            if (statement->arguments[i].kind == PTX_IS_ADDRESS && is_base(arrays, &statement->arguments[i]))
                move_place(arrays, gap, &statement->arguments[i].number);
    }
    variable->bytes += (arrays->count - 1) * gap;
}

/* Gives the local variable, which is the last one so far, a place of its own. */
static void place_apart(struct ptx_body *body, struct ptx_variable *variable)
{
    const uint32_t align = variable->align > GAP ? variable->align : GAP;
    struct arrays arrays = {.variable = variable, .is_base = allocate(body->register_count + 1)};
    variable->offset = (body->private_bytes + GAP + align - 1) / align * align;
    if (strncmp(variable->name, "__local_depot", 13) == 0)
        find_arrays(&arrays, body);
    if (arrays.is_plain)
        part(&arrays, body);
    else
        note_object(body, variable->offset, (uint32_t)variable->bytes);
    body->private_bytes = variable->offset + (uint32_t)variable->bytes + GAP;
    free(arrays.is_base);
    free(arrays.begins);
}

void ptx_part_arrays(struct ptx_body *body)
{
    for (size_t p = 0; p < body->private_count; p++)
        if (body->privates[p]->space == PTX_PARAMETER)
            note_object(body, body->privates[p]->offset, (uint32_t)body->privates[p]->bytes);
    for (size_t p = 0; p < body->private_count; p++)
        if (body->privates[p]->space == PTX_LOCAL)
            place_apart(body, body->privates[p]);
}

/* ---- checks of accesses ---- */

/* Returns the object nearest to a place in a function's private memory, or NULL if all are further than a
 * gap. The objects are in the order of their places. */
static const struct ptx_object *object_at(const struct ptx_body *body, uint64_t place)
{
    size_t low = 0, high = body->object_count; /* bounds of the search for the first object after the place */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (body->objects[middle].begin <= place)
            low = middle + 1;
        else
            high = middle;
    }
    const struct ptx_object *object = low ? &body->objects[low - 1] : NULL,
                            *next = object ? object + 1 : body->objects;
    uint64_t after = object ? place - object->begin : 0,
             before = low < body->object_count ? next->begin - place : GAP;
    if (object && (after < object->bytes || after - object->bytes < before))
        return after < object->bytes + GAP ? object : NULL;
    return before < GAP ? next : NULL;
}

static void tell_outside(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                         unsigned bytes, const struct ptx_object *object, int64_t place)
{
    const struct ptx_access *access = code->more;
    char use[256];
    const char *does = access->kind == REQUEST_LOAD ? "reads" : "writes";
    if (object)
        snprintf(use, sizeof use, "%s %u bytes at [%lld] of a local array, which has at most %u of %u bytes",
                 does, bytes, (long long)(place - (int64_t)object->begin) / (long long)bytes,
                 object->bytes / bytes, bytes);
    else
        snprintf(use, sizeof use, "%s %u bytes of local memory, outside of the thread's variables", does,
                 bytes);
    ptx_becomes_running(lanes, l);
    bounds_tell_use(use, code);
}

static bool is_of_stack(const struct ptx_lanes *lanes, unsigned l, uint64_t address, unsigned bytes);

void ptx_check_private(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                       uint64_t address)
{
    const struct ptx_access *access = code->more;
    const struct machine_launch *launch = &lanes->warp->block->kernel->launch;
    const unsigned bytes = access->bytes - access->unused;
    address += access->first_used;
    if (access->kind == REQUEST_ATOMIC) { /* PTX ISA, "atom" */
        ptx_becomes_running(lanes, l);
        bounds_tell_use(
            "changes local memory by an atomic operation, which GPUs have for global and shared memory alone",
            code);
        return;
    }
    if (bounds_is_within(address, bytes, (uintptr_t)launch->closure, launch->closure_bytes) ||
        is_of_stack(lanes, l, address, bytes) || access->unused >= access->bytes)
        return;
    for (const struct ptx_frame *frame = lanes->frame; frame; frame = frame->caller) {
        uint64_t place = address - (uintptr_t)ptx_private(frame, l);
        if (place >= frame->routine->private_bytes)
            continue;
        const struct ptx_object *object = object_at(frame->routine->function->body, place);
        if (!object || !bounds_is_within(place, bytes, object->begin, object->bytes))
            tell_outside(code, lanes, l, bytes, object, (int64_t)place);
        return;
    }
    tell_outside(code, lanes, l, bytes, NULL, 0);
}

/* ---- alloca ---- */

#define BYTES_OF_LANE 65536

struct ptx_stack {
    unsigned char *memory;
    uint32_t tops[PTX_LANES]; /* number of bytes in use in each lane */
    struct ptx_stack *next;   /* the next one in the list of stacks that no warp uses */
};
static struct ptx_stack *unused;

static struct ptx_stack *stack_of(struct ptx_warp *state)
{
    if (state->stack)
        return state->stack;
    struct ptx_stack *stack = unused;
    if (stack) {
        unused = stack->next;
    } else {
        stack = allocate(sizeof *stack);
        stack->memory = ptx_take_private((size_t)BYTES_OF_LANE * PTX_LANES);
    }
    memset(stack->tops, 0, sizeof stack->tops);
    return state->stack = stack;
}

void ptx_stack_end(struct ptx_warp *state)
{
    if (!state->stack)
        return;
    state->stack->next = unused;
    unused = state->stack;
    state->stack = NULL;
}

void ptx_stack_return(struct ptx_warp *state, const struct ptx_frame *frame, uint32_t mask)
{
    FOR_EACH_LANE(l, mask) state->stack->tops[l] = frame->tops[l];
}

static unsigned char *memory_of(const struct ptx_stack *stack, unsigned l)
{
    return stack->memory + (size_t)l * BYTES_OF_LANE;
}

static bool is_of_stack(const struct ptx_lanes *lanes, unsigned l, uint64_t address, unsigned bytes)
{
    const struct ptx_stack *stack = lanes->state->stack;
    return stack && bounds_is_within(address, bytes, (uintptr_t)memory_of(stack, l), stack->tops[l]);
}

/* alloca d, bytes {, alignment}: the alignment is `number` */
const struct ptx_code *ptx_run_allocation(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct ptx_stack *stack = stack_of(lanes->state);
    struct ptx_frame *frame = lanes->frame;
    if (!frame->tops)
        frame->tops = allocate(sizeof stack->tops);
    if (!frame->has_tops)
        memcpy(frame->tops, stack->tops, sizeof stack->tops);
    frame->has_tops = true;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t bytes = ptx_lane_value(lanes, code->a, '8', l), align = code->number;
        uint64_t at = (stack->tops[l] + align - 1) / align * align;
        if (bytes > BYTES_OF_LANE || at + bytes > BYTES_OF_LANE)
            fail(EXIT_CANNOT, "%s: the arrays of alloca have more than %d bytes in a thread",
                 lanes->state->program->kernel->name, BYTES_OF_LANE);
        stack->tops[l] = (uint32_t)(at + bytes);
        ptx_set_lane_value(lanes, code->d, '8', l, (uintptr_t)memory_of(stack, l) + at);
    }
    return code + 1;
}

/* stacksave d and stackrestore a: the saved value is the number of bytes in use, which fits into 32 bits,
 * too. The class of the operand is `number`. */
const struct ptx_code *ptx_run_stack_save(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_stack *stack = stack_of(lanes->state);
    FOR_EACH_LANE(l, lanes->mask)
    ptx_set_lane_value(lanes, code->d, (char)code->number, l, stack->tops[l]);
    return code + 1;
}

const struct ptx_code *ptx_run_stack_restoration(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct ptx_stack *stack = stack_of(lanes->state);
    FOR_EACH_LANE(l, lanes->mask)
    stack->tops[l] = (uint32_t)ptx_lane_value(lanes, code->a, (char)code->number, l);
    return code + 1;
}

void ptx_decode_stack(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const char class = ptx_has(decoder, "u32") ? '4' : '8';
    code->number = (uint64_t) class;
    *(decoder->operation->writes ? &code->d : &code->a) = ptx_operand_at(decoder, 0, class);
}

void ptx_decode_allocation(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->d = ptx_operand_at(decoder, 0, '8');
    code->a = ptx_operand_at(decoder, 1, '8');
    code->number = 16;
    if (decoder->statement->argument_count > 2)
        code->number = ptx_number_of(decoder, ptx_argument_of(decoder, 2));
}
