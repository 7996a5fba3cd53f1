#include "machine/code/ordered_code.h"
#include "machine/code/kernel_code.h"

/* The registers (one bit each) that are known to hold true or false, and whether the flags compare such a
 * register with false. A branch on equality is allowed only for such a comparison: the clock can become equal
 * to a number and unequal again, but a comparison with the clock that has changed from true to false, or from
 * false to true, does not change back. */
struct truths {
    uint64_t registers;
    bool is_tested;
};

/* Is the access, if there is one, to an address that does not depend on the time? */
static bool is_fixed(const struct x86_access *access)
{
    return !access->there || access->fixed || (access->on_stack && !access->is_indexed);
}

/* Updates `truths` for the instruction. Returns false if the instruction's result may go up and down as the
 * time grows, or if the instruction does more than compute. */
static bool is_ordered(const struct kernel_instruction *instruction, struct truths *truths)
{
    const struct x86_instruction *read = &instruction->read;
    const uint64_t flags = X86_BIT(X86_FLAGS), result = X86_BIT(X86_GENERAL + X86_RAX);
    /* a machine function that makes no request returns a value that does not change with the time */
    if (read->calls) {
        *truths = (struct truths){returns_value(instruction->callee) ? result : 0, false};
        return instruction->callee == CALLS_REQUEST || returns_value(instruction->callee);
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
