#include "machine/code/ordered_code.h"
#include "machine/code/kernel_code.h"

/* The registers, a bit each, that are known to be true or false, and whether the flags compare one of
 * them with false. A branch on equality may depend on these alone: the clock may become equal to a
 * number and unequal to it again, but what is false does not become true and false again. */
struct truths {
    uint64_t registers;
    bool is_tested;
};

/* Is the access, if there is one, to a place that does not depend on the time? */
static bool is_fixed(const struct x86_access *access)
{
    return !access->there || access->fixed || (access->on_stack && !access->is_indexed);
}

/* Notes what the instruction does to the truths. Returns false if its result may go up and down as the time
 * grows, or if it does something else than computing. */
static bool is_ordered(const struct kernel_instruction *instruction, struct truths *truths)
{
    const struct x86_instruction *read = &instruction->read;
    const uint64_t flags = X86_BIT(X86_FLAGS), result = X86_BIT(X86_GENERAL + X86_RAX);
    if (read->calls) { /* the machine's functions that make no request return what does not change */
        *truths = (struct truths){instruction->callee == CALLS_VALUE ? result : 0, false};
        return instruction->callee == CALLS_REQUEST || instruction->callee == CALLS_VALUE;
    }
    if (!is_fixed(&read->load) || !is_fixed(&read->store))
        return false;
    if (read->order == X86_ON_ZERO)
        return truths->is_tested;
    if (read->order == X86_TEST || read->order == X86_TEST_BYTE) {
        truths->is_tested = read->reads && !(read->reads & ~truths->registers);
        return truths->is_tested || read->order == X86_TEST;
    }
    truths->is_tested = truths->is_tested && !(read->writes & flags);
    truths->registers &= ~read->writes;
    if (read->order == X86_TRUTH)
        truths->registers |= read->writes;
    return read->order == X86_ORDERED || read->order == X86_TRUTH;
}

bool code_is_ordered(const unsigned char *block)
{
    struct truths truths = {0};
    for (size_t n; (n = kernel_instruction_at(block)) != NO_INSTRUCTION;) {
        const struct kernel_instruction *instruction = kernel_instruction(n);
        if (instruction->callee == CALLS_BLOCK_HOOK)
            return true;
        if (!is_ordered(instruction, &truths))
            return false;
        if (instruction->read.leaves || instruction->read.branches)
            return true;
        block += instruction->read.bytes;
    }
    return false;
}
