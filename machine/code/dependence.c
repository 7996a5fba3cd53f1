#include "machine/code/dependence.h"
#include "base/memory.h"
#include "machine/code/joins.h"

#include <stdlib.h>

/* size of a stack word in bytes; the analysis distinguishes words of the stack, but not the bytes of a
 * word */
#define WORD 4
#define STACK_WORDS 512

/* Numbers of the places whose content the analysis follows: the registers of x86_code.h, then the places
 * listed here. */
enum {
    /* the value of the last load that the compiled code announced to the machine (machine/cuda/hooks.c) */
    MEMORY = X86_REGISTERS,
    /* The requests that decide whether the code here is executed. These are the requests on which the
     * branches depend that come after the last request or the last call of the basic-block hook
     * (machine/cuda/hooks.c). */
    CONTROL,
    /* the requests that decide whether a loop is left (struct dependence) */
    LEAVING,
    /* the first word of the stack; word 0 stands for words beyond STACK_WORDS */
    STACK,
    HOLDERS = STACK + STACK_WORDS
};

/* The requests on which a value depends. */
struct sources {
    uint64_t requests; /* the requests whose results were used to compute the value */
    /* the requests that decided, at a branch whose ways have met again, that this value was written */
    uint64_t deciders;
};

/* What the data-flow analysis knows at one place in the code: on which memory requests the content of each
 * register and stack word may depend. */
struct flow {
    struct sources of[HOLDERS]; /* what is known about each place that can hold a value */
    /* Between a branch and the place where its ways meet: the requests that decided the branch, and the
     * number of the join (machine/code/joins.h). Of nested branches, the join is the outer one's. */
    uint64_t deciders;
    size_t join;
    /* the number of the instruction after the call of the hook (machine/cuda/hooks.c) that announced the last
     * store */
    size_t store;
    bool is_queued; /* must the code from this place still be followed (again)? */
};

/* the address at which constants end and variables begin in the program's memory; the linker defines it */
extern const unsigned char data_start[];

static struct dependence *found;
/* For each leader (first instruction of a basic block) of the function, what the analysis knows there.
 * `queue` has the leaders that must still be followed. */
static struct flow **flows;
static size_t *queue, queued;
/* The words of the stack that the function stores to. A word with is_array stands for the words from its
 * offset on: its index is taken not to be negative. So accesses of an array do not change the words below
 * it, where gcc keeps registers. */
static struct stack_word {
    int32_t offset; /* distance from the stack pointer, in words */
    bool is_array;
} stack[STACK_WORDS];
static unsigned stack_words;

/* ---- memory ---- */

static unsigned stack_word(int32_t offset, bool is_array)
{
    struct stack_word wanted = {offset / WORD, is_array};
    unsigned word = 1;
    while (word < stack_words && (stack[word].offset != wanted.offset || stack[word].is_array != is_array))
        word++;
    if (word == STACK_WORDS)
        return 0;
    if (word == stack_words)
        stack[stack_words++] = wanted;
    return word;
}

/* Can the two stand for accesses to the same word? */
static bool can_meet(struct stack_word a, struct stack_word b)
{
    return a.offset == b.offset || (a.is_array && b.is_array) ||
           (a.offset < b.offset ? a.is_array : b.is_array);
}

static bool is_variable(const struct x86_access *access)
{
    return !access->fixed || (uintptr_t)access->fixed >= (uintptr_t)data_start;
}

static struct sources united(struct sources a, struct sources b)
{
    return (struct sources){a.requests | b.requests, a.deciders | b.deciders};
}

static struct sources in_memory(const struct flow *flow, const struct x86_access *access)
{
    struct sources sources = {0};
    if (!access->on_stack)
        return is_variable(access) ? flow->of[MEMORY] : sources;
    for (unsigned byte = 0; byte < access->bytes; byte += WORD) {
        struct stack_word loaded = {(access->offset + (int32_t)byte) / WORD, access->is_indexed};
        for (unsigned word = 1; word < stack_words; word++)
            if (can_meet(stack[word], loaded))
                sources = united(sources, flow->of[STACK + word]);
    }
    return united(sources, flow->of[STACK]);
}

static void put_in_memory(struct flow *flow, const struct x86_access *access, struct sources sources)
{
    if (!access->on_stack) {
        found[flow->store].needs |= sources.requests;
        return;
    }
    for (unsigned byte = 0; byte < access->bytes; byte += WORD) {
        unsigned word = stack_word(access->offset + (int32_t)byte, access->is_indexed);
        bool is_replaced = word && !access->is_indexed;
        flow->of[STACK + word] = is_replaced ? sources : united(flow->of[STACK + word], sources);
    }
}

/* ---- an instruction ---- */

static void put(struct flow *flow, uint64_t registers, struct sources sources)
{
    for (; registers; registers &= registers - 1)
        flow->of[__builtin_ctzll(registers)] = sources;
}

/* Updates `flow` for the branch that is instruction `number`. */
static void branch(struct flow *flow, size_t number, struct sources sources)
{
    size_t join = join_after(number);
    flow->of[CONTROL].requests |= sources.requests;
    if (join == NO_INSTRUCTION)
        flow->of[LEAVING].requests |= sources.requests | sources.deciders;
    else if (!flow->deciders)
        flow->join = join;
    if (join != NO_INSTRUCTION)
        flow->deciders |= sources.requests | sources.deciders;
}

static void compute(struct flow *flow, size_t number)
{
    struct kernel_instruction *instruction = kernel_instruction(number);
    const struct x86_instruction *read = &instruction->read;
    struct sources sources = read->load.there ? in_memory(flow, &read->load) : (struct sources){0};
    for (uint64_t left = read->reads; left; left &= left - 1)
        sources = united(sources, flow->of[__builtin_ctzll(left)]);
    if (read->branches)
        branch(flow, number, sources);
    instruction->is_bound = instruction->is_bound || sources.requests;
    sources.deciders |= flow->deciders;
    if (read->store.there)
        put_in_memory(flow, &read->store, sources);
    put(flow, read->writes, sources);
}

#define GENERAL_OF_CALLER                                                                                    \
    (X86_BIT(X86_RBX) | X86_BIT(X86_RSP) | X86_BIT(X86_RBP) | UINT64_C(0xf000)) /* R12 to R15 */
#define OF_CALLEE ((X86_BIT(X86_REGISTERS) - 1) & ~GENERAL_OF_CALLER)
#define RESULTS (X86_BIT(X86_RAX) | X86_BIT(X86_RDX) | X86_BIT(X86_VECTOR))

static uint64_t arguments(const struct flow *flow)
{
    const struct sources *of = flow->of;
    return of[X86_RDI].requests | of[X86_RSI].requests | of[X86_RDX].requests | of[X86_RCX].requests |
           of[X86_R8].requests | of[X86_R9].requests;
}

/* Updates `flow` for the call of a function. If the function is a hook that makes a memory request, the
 * request's dependences are stored. `next` is the number of the instruction after the call. */
static void call(struct flow *flow, enum callee callee, size_t next)
{
    uint64_t own = UINT64_C(1) << found[next].number, needs = 0, result = 0;
    switch (callee) {
    case CALLS_LOAD:
        needs = flow->of[X86_RDI].requests;
        flow->of[MEMORY] = (struct sources){.requests = own};
        break;
    case CALLS_STORE:
        needs = flow->of[X86_RDI].requests;
        flow->store = next;
        break;
    case CALLS_REQUEST:
        needs = arguments(flow);
        result = own;
        break;
    case CALLS_VALUE:
    case CALLS_PLACE:
        result = arguments(flow) | flow->of[X86_VECTOR].requests | flow->of[X86_VECTOR + 1].requests;
        break;
    case CALLS_OTHER:
        result = ALL_REQUESTS;
        break;
    default:
        break;
    }
    if (callee == CALLS_BLOCK_HOOK || makes_request(callee)) {
        found[next].needs |= needs | flow->of[CONTROL].requests;
        flow->of[CONTROL].requests = 0;
    }
    found[next].leaves |= flow->of[LEAVING].requests;
    if (makes_request(callee))
        flow->of[LEAVING].requests = 0;
    if (next == flow->join)
        flow->deciders = 0;
    put(flow, OF_CALLEE, (struct sources){0});
    put(flow, RESULTS, (struct sources){result, flow->deciders});
}

/* ---- the function ---- */

/* Merges `from` into what is known at instruction `to`, to which control may go next. */
static void flow_to(const struct flow *from, size_t to, const struct kernel_function *function)
{
    if (to < function->first || to >= function->end)
        return;
    struct flow **flow = &flows[to - function->first];
    bool is_new = !*flow, changed = is_new;
    if (is_new)
        *flow = allocate(sizeof **flow);
    for (unsigned i = 0; i < STACK + stack_words; i++) {
        struct sources *known = &(*flow)->of[i], more = united(from->of[i], *known);
        changed = changed || more.requests != known->requests || more.deciders != known->deciders;
        *known = more;
    }
    changed = changed || (from->deciders & ~(*flow)->deciders);
    (*flow)->deciders |= from->deciders;
    (*flow)->join = from->join;
    (*flow)->store = from->store;
    if (!changed || (*flow)->is_queued)
        return;
    (*flow)->is_queued = true;
    queue[queued++] = to;
}

/* Analyses the basic block that begins with instruction `number`, and merges what is known at its end
 * into the basic blocks to which control may go next. */
static void follow(size_t number, const struct kernel_function *function)
{
    struct flow flow = *flows[number - function->first];
    for (;;) {
        struct kernel_instruction *instruction = kernel_instruction(number);
        const struct x86_instruction *read = &instruction->read;
        size_t next = kernel_instruction_at(instruction->at + read->bytes);
        if (!read->calls)
            compute(&flow, number);
        else if (next != NO_INSTRUCTION)
            call(&flow, instruction->callee, next);
        if (!read->calls && read->target)
            flow_to(&flow, kernel_instruction_at(read->target), function);
        if (read->leaves || next < function->first || next >= function->end)
            return;
        if (kernel_instruction(next)->is_leader)
            return flow_to(&flow, next, function);
        number = next;
    }
}

/* Numbers the requests of the function in the order of its instructions. */
static void give_numbers(const struct kernel_function *function)
{
    unsigned requests = 0;
    for (size_t i = function->first; i < function->end; i++) {
        const struct kernel_instruction *instruction = kernel_instruction(i);
        size_t next = kernel_instruction_at(instruction->at + instruction->read.bytes);
        if (makes_request(instruction->callee) && next != NO_INSTRUCTION)
            found[next].number = requests++ % REQUEST_NUMBERS;
    }
}

void dependences_find(const struct kernel_function *function, struct dependence *of)
{
    size_t count = function->end - function->first;
    found = of;
    flows = allocate(count * sizeof(struct flow *));
    queue = allocate(count * sizeof *queue);
    stack_words = 1;
    give_numbers(function);
    struct flow begin = {.store = function->first};
    begin.of[CONTROL].requests = ALL_REQUESTS;
    flow_to(&begin, function->first, function);
    while (queued) {
        size_t next = queue[--queued];
        flows[next - function->first]->is_queued = false;
        follow(next, function);
    }
    for (size_t i = 0; i < count; i++)
        free(flows[i]);
    free(flows);
    free(queue);
}
