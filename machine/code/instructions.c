#include "machine/code/instructions.h"
#include "base/memory.h"
#include "machine/code/invariants.h"
#include "machine/code/joins.h"
#include "machine/code/runs.h"
#include "machine/ptx.h"

#include <string.h>

/* Counts of instructions of one part of the code. */
struct counted {
    uint16_t instructions, divisions;
    /* length of the longest chain of divisions, each of which needs the result of the one before;
     * divisions outside a chain overlap */
    uint16_t divisions_in_turn;
};

/* Consecutive instructions of a basic block without a request of the thread between them. */
struct segment {
    /* counts of the instructions that need no result of an earlier request, and of those that do */
    struct counted free, bound;
    /* is the segment in a run of more than SHORT_RUN instructions without a branch (machine/code/runs.h)? */
    bool is_long;
    /* does the segment begin where a loop ends, because a branch back is not taken? */
    bool is_exit;
};

/* For each call of a hook, indexed by the number of the instruction after it: the requests that it depends
 * on. */
static struct dependence *dependences;
static struct segment *segments;
static struct atomic_use *uses;
struct hook_site *hook_sites;
bool instructions_are_ptx;
static size_t room, noted;
/* the machine description from which the times in hook_sites were computed */
static struct machine_description weighed;

/* number of instructions in a division of 32-bit integers (nvcc 13, sm_90) */
#define INSTRUCTIONS_OF_DIVISION 18

/* Is the instruction a sum whose operand is a product? By default (-fmad=true) nvcc makes one instruction
 * of sum and product. Updates `products`, the vector registers that hold products. */
static bool is_fused(uint64_t *products, const struct x86_instruction *read)
{
    uint64_t to = X86_BIT(read->to), from = X86_BIT(read->from);
    bool fused = read->vector == X86_SUM && (*products & (to | from)) != 0;
    bool is_product = read->vector == X86_PRODUCT || (read->vector == X86_COPY && (*products & from) != 0);
    if (fused)
        *products &= ~from;
    if (read->vector)
        *products = (*products & ~to) | (is_product ? to : 0);
    return fused;
}

/* Does the instruction select one of the two registers that `compared` compared? The two instructions
 * together are a minimum or maximum, for which nvcc has one instruction. */
static bool is_extreme(const struct kernel_instruction *instruction,
                       const struct kernel_instruction *compared)
{
    uint64_t registers = X86_BIT(X86_FLAGS) - 1;
    return compared && instruction->read.selects && compared->read.compares &&
           (instruction->read.reads & registers) == (compared->read.reads & registers);
}

/* The state of the registers after the instructions of a basic block that have been read so far. */
struct seen {
    uint64_t products; /* vector registers that hold products, one bit for each register */
    /* the last instruction so far that wrote the condition flags */
    const struct kernel_instruction *compared;
    /* for each register, the length of the longest chain of divisions that led to its value */
    uint16_t divisions[X86_REGISTERS];
};

static void add_some(uint16_t *number, unsigned more)
{
    *number = (uint16_t)(*number + more < UINT16_MAX ? *number + more : UINT16_MAX);
}

/* Returns the length of the longest chain of divisions that leads to what the instruction writes, and
 * stores it in `seen` for each register that the instruction writes. */
static uint16_t divisions_to(const struct x86_instruction *read, bool divides, struct seen *seen)
{
    uint16_t most = 0;
    for (uint64_t left = read->reads; left; left &= left - 1) {
        uint16_t own = seen->divisions[__builtin_ctzll(left)];
        most = own > most ? own : most;
    }
    add_some(&most, divides);
    for (uint64_t left = read->writes; left; left &= left - 1)
        seen->divisions[__builtin_ctzll(left)] = most;
    return most;
}

/* Adds to the segment's counts the instructions that nvcc would generate for this one: usually one if it
 * computes or calls a machine function that returns a value, otherwise none. */
static void count(struct segment *segment, const struct kernel_instruction *instruction, struct seen *seen)
{
    const struct x86_instruction *read = &instruction->read;
    bool fused = is_fused(&seen->products, read) || is_extreme(instruction, seen->compared);
    struct counted *counted = instruction->is_bound ? &segment->bound : &segment->free;
    add_some(&counted->instructions, (read->computes && !fused) || returns_value(instruction->callee));
    bool divides = read->divides && !instruction->is_invariant;
    add_some(&counted->divisions, divides);
    uint16_t in_turn = divisions_to(read, divides, seen);
    if (in_turn > counted->divisions_in_turn)
        counted->divisions_in_turn = in_turn;
    if (read->writes >> X86_FLAGS & 1)
        seen->compared = instruction;
}

/* Divides a basic block into segments: consecutive instructions without a memory request of the thread
 * between them. The call of the block's hook returns to instruction number `hook`. The basic block ends where
 * control leaves it or another one begins. A new segment begins after each request. */
static void note_segments(size_t hook)
{
    struct seen seen = {0};
    struct segment segment = {.is_long = kernel_instruction(hook)->in_long_run};
    for (size_t number = hook; number != NO_INSTRUCTION;) {
        const struct kernel_instruction *instruction = kernel_instruction(number);
        if (instruction->read.leaves || instruction->callee == CALLS_BLOCK_HOOK)
            break;
        count(&segment, instruction, &seen);
        number = kernel_instruction_at(instruction->at + instruction->read.bytes);
        if (!makes_request(instruction->callee))
            continue;
        segments[hook] = segment;
        segment = (struct segment){.is_long = segment.is_long};
        memset(seen.divisions, 0, sizeof seen.divisions);
        hook = number;
    }
    if (hook != NO_INSTRUCTION)
        segments[hook] = segment;
}

/* Notes that a loop ends where the basic block after `branch` begins. `branch` leads back to the loop's
 * beginning. */
static void note_exit(const struct kernel_instruction *branch)
{
    const struct kernel_instruction *instruction = branch;
    size_t number;
    do {
        number = kernel_instruction_at(instruction->at + instruction->read.bytes);
        if (number == NO_INSTRUCTION || instruction->read.leaves)
            return;
        instruction = kernel_instruction(number);
    } while (instruction->callee == NO_CALL);
    number = kernel_instruction_at(instruction->at + instruction->read.bytes);
    if (instruction->callee == CALLS_BLOCK_HOOK && number != NO_INSTRUCTION)
        segments[number].is_exit = true;
}

static void make_room(size_t count)
{
    if (count <= room)
        return;
    dependences = reallocate(dependences, 2 * count * sizeof *dependences);
    segments = reallocate(segments, 2 * count * sizeof *segments);
    uses = reallocate(uses, 2 * count * sizeof *uses);
    hook_sites = reallocate(hook_sites, 2 * count * sizeof *hook_sites);
    memset(dependences + room, 0, (2 * count - room) * sizeof *dependences);
    memset(segments + room, 0, (2 * count - room) * sizeof *segments);
    memset(uses + room, 0, (2 * count - room) * sizeof *uses);
    room = 2 * count;
}

static void note_function(const struct kernel_function *function)
{
    make_room(function->end);
    noted = function->end;
    joins_find(function);
    dependences_find(function, dependences);
    runs_find(function);
    invariants_find(function);
    for (size_t i = function->first; i < function->end; i++) {
        const struct kernel_instruction *instruction = kernel_instruction(i);
        size_t next = kernel_instruction_at(instruction->at + instruction->read.bytes);
        if (instruction->callee == CALLS_BLOCK_HOOK && next != NO_INSTRUCTION)
            note_segments(next);
        if (instruction->callee == CALLS_REQUEST && next != NO_INSTRUCTION)
            uses[next] = atomic_use_of(function, i);
    }
    for (size_t i = function->first; i < function->end; i++) {
        const struct kernel_instruction *instruction = kernel_instruction(i);
        if (instruction->read.branches && instruction->read.target <= instruction->at)
            note_exit(instruction);
    }
}

/* Returns the time that a warp takes for these instructions, in parts of a time unit. `each` is the time
 * of 1000 instructions in time units. */
static uint32_t parts_of(const struct counted *counted, uint64_t each)
{
    const struct machine_description *d = &weighed;
    uint64_t more = (uint64_t)counted->divisions_in_turn * (uint64_t)d->divide_latency;
    uint64_t parts = counted->instructions * each * PARTS_OF_A_UNIT / 1000 + more * PARTS_OF_A_UNIT;
    return parts < UINT32_MAX ? (uint32_t)parts : UINT32_MAX;
}

static unsigned instructions_of(const struct counted *counted)
{
    const struct machine_description *d = &weighed;
    return counted->instructions +
           (d->divide_latency ? counted->divisions * (INSTRUCTIONS_OF_DIVISION - 1u) : 0);
}

static struct work work_of(const struct segment *segment)
{
    const struct machine_description *d = &weighed;
    uint64_t each = (uint64_t)(segment->is_long ? d->long_instruction_per_1000 : d->instruction_per_1000);
    if (!each)
        return (struct work){0};
    struct work work = {.free = parts_of(&segment->free, each), .bound = parts_of(&segment->bound, each)};
    work.instructions = instructions_of(&segment->free) + instructions_of(&segment->bound);
    return work;
}

/* Computes the entries of hook_sites from this number on. */
static void note_sites(size_t from)
{
    for (size_t i = from; i < noted; i++)
        hook_sites[i] = (struct hook_site){
            dependences[i], work_of(&segments[i]), segments[i].is_exit, is_join(i), uses[i], NO_INSTRUCTION};
}

static void read_code(const struct machine_launch *launch)
{
    if (launch->program)
        return;
    kernel_code_read((const unsigned char *)(uintptr_t)launch->body, note_function);
    if (launch->kernel)
        /* the kernel's own function is read separately, because the launch calls it through a pointer, which
         * kernel_code_read() cannot follow */
        kernel_code_read(launch->kernel, note_function);
}

void instructions_read(const struct machine_launch *launch)
{
    const struct machine_description *d = &the_machine.description;
    size_t from = memcmp(&weighed, d, sizeof weighed) == 0 ? noted : 0;
    weighed = *d;
    if (launch->program) {
        instructions_are_ptx = true;
        ptx_weigh(launch->program);
    } else if (d->loads_under_way > 1 || d->instruction_per_1000) {
        read_code(launch);
    }
    note_sites(from);
    uint64_t counted = 0;
    for (size_t i = from; i < noted; i++)
        counted += is_counted(kernel_instruction(i));
    if (counted > the_machine.uses.instructions)
        the_machine.uses.instructions = counted;
}

void instructions_read_all(const struct machine_launch *launch)
{
    size_t from = noted;
    read_code(launch);
    note_sites(from);
}

struct dependence dependence_of(const void *instruction)
{
    const struct hook_site *site = hook_site_of(instruction);
    return site ? site->dependence : (struct dependence){.needs = ALL_REQUESTS};
}

/* A join of PTX is the address of its block's first instruction, which is larger than any number of an
 * instruction. */
#define MOST_NUMBERS ((size_t)UINT32_MAX)

size_t place_of_instruction(const void *instruction)
{
    size_t number = kernel_instruction_at(instruction);
    return number == NO_INSTRUCTION && hook_site_of(instruction) ? (uintptr_t)instruction : number;
}

size_t next_join_of(size_t place)
{
    if (place == NO_INSTRUCTION || place <= MOST_NUMBERS)
        return join_after(place);
    return hook_site_of((const void *)place)->next_join;
}

struct atomic_use atomic_use_after(const void *instruction)
{
    size_t number = kernel_instruction_at(instruction);
    return number != NO_INSTRUCTION ? hook_sites[number].use : (struct atomic_use){0};
}

void instructions_go_on(const void *instruction)
{
    size_t number = kernel_instruction_at(instruction);
    if (number != NO_INSTRUCTION)
        work_add_more(&running_lane()->work, &hook_sites[number].work);
}
