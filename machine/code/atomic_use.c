#include "machine/code/atomic_use.h"

/* At most this number of branches and jumps after the call is followed. */
#define MOST_TURNS 4

/* Returns whether code from instruction `number` on may read the register RAX before it is written. Each call
 * writes RAX, and the compiler calls a hook in each basic block, so only a few instructions are looked at.
 * A value that is needed later is moved elsewhere before the call, which reads RAX. */
static bool may_read_result(size_t number, unsigned turns)
{
    while (number != NO_INSTRUCTION) {
        const struct kernel_instruction *instruction = kernel_instruction(number);
        const struct x86_instruction *read = &instruction->read;
        if (read->reads & X86_BIT(X86_RAX))
            return true;
        if (read->calls || read->writes & X86_BIT(X86_RAX))
            return false;
        if (read->target || read->leaves) {
            if (!turns || !read->target || may_read_result(kernel_instruction_at(read->target), turns - 1))
                return true;
            if (read->leaves)
                return false;
        }
        number = kernel_instruction_at(instruction->at + read->bytes);
    }
    return true;
}

/* Returns whether the instructions before the call, back to the last branch, set the register RSI to 1. */
static bool passes_one(const struct kernel_function *function, size_t call)
{
    for (size_t i = call; i-- > function->first && !kernel_instruction(i + 1)->is_leader;) {
        const struct x86_instruction *read = &kernel_instruction(i)->read;
        if (read->calls || read->leaves)
            return false;
        if (read->writes & X86_BIT(X86_RSI))
            return read->sets_one;
    }
    return false;
}

struct atomic_use atomic_use_of(const struct kernel_function *function, size_t call)
{
    const struct kernel_instruction *instruction = kernel_instruction(call);
    size_t next = kernel_instruction_at(instruction->at + instruction->read.bytes);
    return (struct atomic_use){!may_read_result(next, MOST_TURNS), passes_one(function, call)};
}
