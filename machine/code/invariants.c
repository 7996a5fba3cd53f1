#include "machine/code/invariants.h"

/* An operand is followed back through at most this number of definitions. */
#define MOST_DEFINITIONS 12

/* The instructions of a function from the target of a branch back to the branch. */
struct loop {
    const struct kernel_function *function;
    const unsigned char *first, *last;
};

static bool is_in(const struct loop *loop, const struct kernel_instruction *instruction)
{
    return (uintptr_t)instruction->at >= (uintptr_t)loop->first &&
           (uintptr_t)instruction->at <= (uintptr_t)loop->last;
}

/* Finds the smallest loop around an instruction. Returns false if there is none. */
static bool find_loop(const struct kernel_function *function, const struct kernel_instruction *inside,
                      struct loop *found)
{
    *found = (struct loop){.function = function};
    for (size_t i = function->first; i < function->end; i++) {
        const struct kernel_instruction *branch = kernel_instruction(i);
        struct loop loop = {function, branch->read.target, branch->at};
        bool is_back = !branch->read.calls && loop.first && (uintptr_t)loop.first <= (uintptr_t)branch->at;
        if (is_back && is_in(&loop, inside) &&
            (!found->first ||
             (uintptr_t)loop.last - (uintptr_t)loop.first < (uintptr_t)found->last - (uintptr_t)found->first))
            *found = loop;
    }
    return found->first;
}

/* the registers that a called function leaves as they were (System V ABI, AMD64): RBX, RSP, RBP, R12 to
 * R15 */
#define KEPT (X86_BIT(X86_RBX) | X86_BIT(X86_RSP) | X86_BIT(X86_RBP) | UINT64_C(0xf000))

static uint64_t writes_of(const struct kernel_instruction *instruction)
{
    return instruction->read.calls ? ~KEPT : instruction->read.writes;
}

static bool overlap(const struct x86_access *a, const struct x86_access *b)
{
    return a->offset < b->offset + (int32_t)b->bytes && b->offset < a->offset + (int32_t)a->bytes;
}

/* Does the loop leave these registers, and this word of the stack, unchanged? Other memory counts as
 * changed. */
static bool loop_keeps(const struct loop *loop, uint64_t registers, const struct x86_access *load)
{
    if (load->there && !load->fixed && (!load->on_stack || load->is_indexed))
        return false;
    for (size_t i = loop->function->first; i < loop->function->end; i++) {
        const struct kernel_instruction *instruction = kernel_instruction(i);
        const struct x86_access *store = &instruction->read.store;
        if (!is_in(loop, instruction))
            continue;
        if (writes_of(instruction) & registers)
            return false;
        if (load->there && load->on_stack && store->there && store->on_stack &&
            (store->is_indexed || overlap(store, load)))
            return false;
    }
    return true;
}

static bool is_invariant_before(const struct loop *loop, size_t number, uint64_t registers, unsigned left);

static bool computes_same(const struct loop *loop, size_t number, unsigned left);

static bool contains(const struct x86_access *outer, const struct x86_access *inner)
{
    return outer->offset <= inner->offset &&
           inner->offset + (int32_t)inner->bytes <= outer->offset + (int32_t)outer->bytes;
}

/* Does instruction `number` load the same value in each iteration? A word of the stack that the loop writes
 * may get the same value each time. The instruction that writes it is looked for from the load back to the
 * last branch. */
static bool loads_same(const struct loop *loop, size_t number, unsigned left)
{
    const struct x86_access *load = &kernel_instruction(number)->read.load;
    if (loop_keeps(loop, 0, load))
        return true;
    for (size_t i = number;
         load->on_stack && i > loop->function->first && !kernel_instruction(i)->is_leader;) {
        const struct x86_access *store = &kernel_instruction(--i)->read.store;
        if (store->there && store->on_stack && (store->is_indexed || overlap(store, load)))
            return !store->is_indexed && !load->is_indexed && contains(store, load) &&
                   computes_same(loop, i, left - 1);
    }
    return false;
}

/* Does the instruction compute the same value in each iteration? */
static bool computes_same(const struct loop *loop, size_t number, unsigned left)
{
    const struct kernel_instruction *instruction = kernel_instruction(number);
    if (instruction->callee == CALLS_PLACE)
        return true;
    if (instruction->read.calls || !left || !loads_same(loop, number, left))
        return false;
    return is_invariant_before(loop, number, instruction->read.reads & ~X86_BIT(X86_FLAGS), left - 1);
}

/* Do the registers have the same values in each iteration, when control comes to instruction `number`? Looks
 * for the instructions that define them, from this instruction back to the last branch. */
static bool is_invariant_before(const struct loop *loop, size_t number, uint64_t registers, unsigned left)
{
    for (size_t i = number; registers && i > loop->function->first && !kernel_instruction(i)->is_leader;) {
        uint64_t defined = writes_of(kernel_instruction(--i)) & registers;
        if (!defined)
            continue;
        if (!computes_same(loop, i, left))
            return false;
        registers &= ~defined;
    }
    return loop_keeps(loop, registers, &(struct x86_access){.there = false});
}

void invariants_find(const struct kernel_function *function)
{
    struct loop loop;
    for (size_t i = function->first; i < function->end; i++) {
        struct kernel_instruction *instruction = kernel_instruction(i);
        if (instruction->read.divides && find_loop(function, instruction, &loop))
            instruction->is_invariant = computes_same(&loop, i, MOST_DEFINITIONS);
    }
}
