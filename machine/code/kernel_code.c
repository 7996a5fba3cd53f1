#include "machine/code/kernel_code.h"
#include "base/memory.h"

#include <stdlib.h>

/* The beginnings and ends of the sections of the machine's functions; the linker defines the symbols. */
#define SECTION(name) extern const unsigned char __start_##name[], __stop_##name[];
SECTION(machine_hooks_load)
SECTION(machine_hooks_store)
SECTION(machine_hooks_request)
SECTION(machine_hooks_value)
SECTION(machine_hooks_place)
SECTION(machine_hooks_note)
SECTION(machine_hooks_block)

static struct kernel_instruction *instructions;
static size_t instruction_count;
uint32_t *kernel_number_at;

/* Lists of addresses where code must still be read: after branches of this function, and at the beginnings
 * of other functions. */
struct places {
    const unsigned char **at;
    size_t count;
};
static struct places branches, functions;

static void add_place(struct places *places, const unsigned char *at)
{
    places->at = with_room(places->at, sizeof *places->at, places->count, 1);
    places->at[places->count++] = at;
}

/* Returns whether `at` is an address in [begin, end). Compares the addresses as numbers, because C does
 * not order pointers to different objects. */
static bool is_between(const unsigned char *at, const unsigned char *begin, const unsigned char *end)
{
    return (uintptr_t)at >= (uintptr_t)begin && (uintptr_t)at < (uintptr_t)end;
}

static uint32_t *number_at(const unsigned char *at)
{
    return &kernel_number_at[(uintptr_t)at - (uintptr_t)__executable_start];
}

struct kernel_instruction *kernel_instruction(size_t number)
{
    return &instructions[number];
}

static enum callee callee_of(const struct x86_instruction *read)
{
    if (!read->calls)
        return NO_CALL;
    if (is_between(read->target, __start_machine_hooks_block, __stop_machine_hooks_block))
        return CALLS_BLOCK_HOOK;
    if (is_between(read->target, __start_machine_hooks_load, __stop_machine_hooks_load))
        return CALLS_LOAD;
    if (is_between(read->target, __start_machine_hooks_store, __stop_machine_hooks_store))
        return CALLS_STORE;
    if (is_between(read->target, __start_machine_hooks_request, __stop_machine_hooks_request))
        return CALLS_REQUEST;
    if (is_between(read->target, __start_machine_hooks_value, __stop_machine_hooks_value))
        return CALLS_VALUE;
    if (is_between(read->target, __start_machine_hooks_place, __stop_machine_hooks_place))
        return CALLS_PLACE;
    if (is_between(read->target, __start_machine_hooks_note, __stop_machine_hooks_note))
        return CALLS_NOTE;
    return CALLS_OTHER;
}

/* Notes that control comes to this address by a branch. The code there may have been read already. */
static void add_branch(const unsigned char *at)
{
    size_t number = kernel_instruction_at(at);
    if (number == NO_INSTRUCTION)
        add_place(&branches, at);
    else
        instructions[number].is_leader = true;
}

/* Reads the code from this address on, until control leaves it by a jump or return, or until code that has
 * been read before. */
static void read_straight(const unsigned char *at)
{
    bool is_leader = true;
    for (; is_between(at, __executable_start, etext);
         is_leader = instructions[instruction_count - 1].read.branches) {
        if (*number_at(at)) {
            instructions[*number_at(at) - 1].is_leader = true;
            return;
        }
        struct x86_instruction read = x86_read(at);
        if (!read.bytes)
            return;
        instructions = with_room(instructions, sizeof *instructions, instruction_count, 1);
        instructions[instruction_count++] = (struct kernel_instruction){
            .read = read, .at = at, .callee = callee_of(&read), .is_leader = is_leader};
        *number_at(at) = (uint32_t)instruction_count;
        if (instructions[instruction_count - 1].callee == CALLS_OTHER)
            add_place(&functions, read.target);
        else if (!read.calls && read.target)
            add_branch(read.target);
        if (read.leaves)
            return;
        at += read.bytes;
    }
}

void kernel_code_read(const unsigned char *function, void (*done)(const struct kernel_function *))
{
    if (!kernel_number_at)
        kernel_number_at =
            allocate(((uintptr_t)etext - (uintptr_t)__executable_start) * sizeof *kernel_number_at);
    for (add_place(&functions, function); functions.count;) {
        const unsigned char *at = functions.at[--functions.count];
        struct kernel_function read = {.first = instruction_count};
        if (kernel_instruction_at(at) != NO_INSTRUCTION || !is_between(at, __executable_start, etext))
            continue;
        for (add_place(&branches, at); branches.count;)
            read_straight(branches.at[--branches.count]);
        read.end = instruction_count;
        done(&read);
    }
}
