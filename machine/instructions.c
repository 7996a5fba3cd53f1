#include "machine/instructions.h"
#include "base/memory.h"
#include "machine/lanes.h"
#include "machine/x86_code.h"

#define CALL_BYTES 5

/* First and last byte of the program's code. */
extern const unsigned char __executable_start[], etext[];

/* The compiler's hook: called at the beginning of each basic block of a kernel. */
void __sanitizer_cov_trace_pc(void);

/* As numbers: they are two objects for C. */
static uintptr_t begin_of_code(void)
{
    return (uintptr_t)__executable_start;
}
static uintptr_t end_of_code(void)
{
    return (uintptr_t)etext;
}

/* Of the block whose call of the hook returns to this place in the code. */
static uint16_t *count_at;

static bool calls_hook(const unsigned char *at)
{
    struct x86_instruction read = x86_read(at);
    return read.is_call &&
           at + read.bytes + read.distance == (const unsigned char *)(uintptr_t)__sanitizer_cov_trace_pc;
}

/* Notes which vector registers hold products. Is the instruction a sum with one, which nvcc makes one instruction of, as
 * it does by default (-fmad=true)? */
static bool is_fused(uint32_t *products, const struct x86_instruction *read)
{
    uint32_t to = UINT32_C(1) << read->to, from = read->from < X86_MEMORY ? UINT32_C(1) << read->from : 0;
    bool fused = read->vector == X86_SUM && *products & (to | from);
    bool is_product = read->vector == X86_PRODUCT || (read->vector == X86_COPY && *products & from);
    if (fused)
        *products &= ~from;
    if (read->vector)
        *products = (*products & ~to) | (is_product ? to : 0);
    return fused;
}

/* Of the block that begins there: up to where control leaves it, or another begins. */
static uint16_t count_of(const unsigned char *at)
{
    unsigned count = 0;
    uint32_t products = 0;
    while ((uintptr_t)at + CALL_BYTES <= end_of_code() && !calls_hook(at)) {
        struct x86_instruction read = x86_read(at);
        if (read.leaves)
            break;
        bool fused = is_fused(&products, &read);
        count += read.computes && !fused;
        at += read.bytes;
    }
    return count < UINT16_MAX ? (uint16_t)count : UINT16_MAX;
}

void instructions_open(void)
{
    if (count_at || !the_machine.description.instruction_per_1000)
        return;
    count_at = allocate((end_of_code() - begin_of_code()) * sizeof *count_at);
    for (const unsigned char *at = __executable_start; (uintptr_t)at + CALL_BYTES < end_of_code(); at++)
        if (*at == 0xe8 && calls_hook(at))
            count_at[(uintptr_t)at + CALL_BYTES - begin_of_code()] = count_of(at + CALL_BYTES);
}

/* Does the lane's loop wait for another thread? Then nvcc does not unroll it; others it unrolls by four, if not by more. */
static bool polls(const struct lane *lane)
{
    bool is_load = lane->kind == REQUEST_LOAD && !lane->plain;
    return lane->address && (is_load || lane->kind == REQUEST_ATOMIC || lane->kind == REQUEST_LOCK_LOAD);
}

void __sanitizer_cov_trace_pc(void)
{
    struct warp *warp = running.warp;
    if (!warp || !count_at)
        return;
    uintptr_t block = (uintptr_t)__builtin_return_address(0);
    struct lane *lane = &warp->lanes[running.lane];
    unsigned count = count_at[block - begin_of_code()];
    lane->instructions = lane->instructions < UINT32_MAX - count ? lane->instructions + count : UINT32_MAX;
    if (block <= running.code && lane->quarter_branches < UINT16_MAX - 4)
        lane->quarter_branches = (uint16_t)(lane->quarter_branches + (polls(lane) ? 4 : 1));
    running.code = block;
}
