#include "machine/instructions.h"
#include "base/memory.h"
#include "machine/lanes.h"
#include "machine/runs.h"
#include "machine/shared_memory.h"

#include <string.h>

/* Instructions in a row without a request. */
struct segment {
    uint16_t free, bound;
    bool is_long; /* in a long run, which requests do not end */
    bool is_exit; /* begins where a branch back is not taken */
};

/* Of each call of a hook, by the number of the instruction behind it. */
static struct dependence *dependences;
static struct segment *segments;
static size_t room;

/* Notes which vector registers hold products. Is the instruction a sum with one, which nvcc makes one instruction of, as
 * it does by default (-fmad=true)? */
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

/* Does it choose between what was compared? Both are a minimum or maximum, which is one for nvcc. */
static bool is_extreme(const struct kernel_instruction *instruction,
                       const struct kernel_instruction *compared)
{
    uint64_t registers = X86_BIT(X86_FLAGS) - 1;
    return compared && instruction->read.selects && compared->read.compares &&
           (instruction->read.reads & registers) == (compared->read.reads & registers);
}

/* What has come in the block so far. */
struct seen {
    uint64_t products;                         /* vector registers that hold some */
    const struct kernel_instruction *compared; /* what wrote the flags */
};

/* One for nvcc: each that computes, and each value that the machine answers. */
static void count(struct segment *segment, const struct kernel_instruction *instruction, struct seen *seen)
{
    bool fused = is_fused(&seen->products, &instruction->read) || is_extreme(instruction, seen->compared);
    bool counts = (instruction->read.computes && !fused) || instruction->callee == CALLS_VALUE;
    uint16_t *number = instruction->is_bound ? &segment->bound : &segment->free;
    if (counts && *number < UINT16_MAX)
        ++*number;
    if (instruction->read.writes >> X86_FLAGS & 1)
        seen->compared = instruction;
}

/* From behind a block's hook up to where control leaves the block, or another begins: a segment behind each request. */
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
        hook = number;
    }
    if (hook != NO_INSTRUCTION)
        segments[hook] = segment;
}

/* Notes that the first block behind a branch back is where its loop ends. */
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
    memset(dependences + room, 0, (2 * count - room) * sizeof *dependences);
    memset(segments + room, 0, (2 * count - room) * sizeof *segments);
    room = 2 * count;
}

static void note_function(const struct kernel_function *function)
{
    make_room(function->end);
    dependences_find(function, dependences);
    runs_find(function);
    for (size_t i = function->first; i < function->end; i++) {
        const struct kernel_instruction *instruction = kernel_instruction(i);
        size_t behind = kernel_instruction_at(instruction->at + instruction->read.bytes);
        if (instruction->callee == CALLS_BLOCK_HOOK && behind != NO_INSTRUCTION)
            note_segments(behind);
    }
    for (size_t i = function->first; i < function->end; i++) {
        const struct kernel_instruction *instruction = kernel_instruction(i);
        if (instruction->read.branches && instruction->read.target <= instruction->at)
            note_exit(instruction);
    }
}

void instructions_read(const struct machine_launch *launch)
{
    if (the_machine.description.loads_under_way == 1 && !the_machine.description.instruction_per_1000)
        return;
    kernel_code_read((const unsigned char *)(uintptr_t)launch->body, note_function);
    kernel_code_read(launch->kernel, note_function); /* which the body calls through a pointer */
}

struct dependence dependence_of(const void *instruction)
{
    size_t number = kernel_instruction_at(instruction);
    return number != NO_INSTRUCTION ? dependences[number] : (struct dependence){.needs = ALL_REQUESTS};
}

static uint32_t sum(uint32_t a, uint64_t b)
{
    return a + b < UINT32_MAX ? (uint32_t)(a + b) : UINT32_MAX;
}

static void add_segment(struct work *work, const struct segment *segment)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t each = (uint64_t)(segment->is_long ? d->long_instruction_per_1000 : d->instruction_per_1000);
    if (!each)
        return;
    work->instructions = sum(work->instructions, (uint64_t)segment->free + segment->bound);
    work->free = sum(work->free, segment->free * each * PARTS_OF_A_UNIT / 1000);
    work->bound = sum(work->bound, segment->bound * each * PARTS_OF_A_UNIT / 1000);
}

struct work work_behind(const void *instruction)
{
    size_t number = kernel_instruction_at(instruction);
    struct work work = {0};
    if (number != NO_INSTRUCTION)
        add_segment(&work, &segments[number]);
    return work;
}

void instructions_go_on(const void *instruction)
{
    size_t number = kernel_instruction_at(instruction);
    if (number != NO_INSTRUCTION)
        add_segment(&running.warp->lanes[running.lane].work, &segments[number]);
}

/* Has the lane just looked at a word that others change? `needs`: what it took to know that this block comes. */
static bool has_looked(const struct lane *lane, uint64_t needs)
{
    bool is_load = lane->kind == REQUEST_LOAD && !lane->plain;
    bool looks = is_load || lane->kind == REQUEST_ATOMIC || lane->kind == REQUEST_LOCK_LOAD;
    return looks && lane->address && needs >> lane->number & 1;
}

/* Of a block that a loop begins again with, or ends with. What a look takes in a loop depends on where the warp's other
 * lanes are (scheduler.c); other loops nvcc unrolls by four, if not by more. */
static void add_branch(struct lane *lane, uint64_t needs, bool is_back)
{
    uint64_t latency = (uint64_t)the_machine.description.branch_latency * PARTS_OF_A_UNIT;
    bool looked = has_looked(lane, needs), is_measured = the_machine.description.poll_latency != 0;
    lane->looked =
        looked && is_measured && (is_back || !lane->of_mbarrier); /* which answers by a predicate */
    lane->looked_at_shared = lane->looked && shared_memory_has(lane->address);
    if (is_back && !lane->looked)
        lane->work.bound = sum(lane->work.bound, looked ? latency : latency / 4);
}

void __sanitizer_cov_trace_pc(void)
{
    struct warp *warp = running.warp;
    if (!warp || !segments)
        return;
    const unsigned char *block = __builtin_return_address(0);
    size_t number = kernel_instruction_at(block);
    if (number == NO_INSTRUCTION)
        return;
    struct lane *lane = &warp->lanes[running.lane];
    lane->needs |= dependences[number].needs;
    add_segment(&lane->work, &segments[number]);
    bool is_back = (uintptr_t)block <= running.code;
    if (is_back || segments[number].is_exit)
        add_branch(lane, dependences[number].needs, is_back);
    running.code = (uintptr_t)block;
}
