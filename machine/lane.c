/* Lanes as fibers: each thread of a running kernel has a stack and stands at its next request. */
#include "machine/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The C interface of libboost-context. */
typedef void *fcontext_t;
struct transfer {
    fcontext_t from;
    void *data;
};
struct transfer jump_fcontext(fcontext_t to, void *data);
fcontext_t make_fcontext(void *stack_top, size_t bytes, void (*entry)(struct transfer));

/* Not a multiple of 4 KiB: tops of stacks that share their low address bits would share cache sets too. */
#define STACK_BYTES ((size_t)16384 + 320)
#define CANARY 0x5afe57acu

struct lane *current_lane;

static unsigned char *stacks;
static size_t stack_slots;
static fcontext_t scheduler_context;

static void reserve_stacks(size_t slots)
{
    if (slots <= stack_slots)
        return;
    if (stacks)
        munmap(stacks, stack_slots * STACK_BYTES);
    /* Address space only: a stack's pages come into being when its lane first uses them. */
    stacks = mmap(NULL, slots * STACK_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) {
        fprintf(stderr, "machine: no address space for the stacks of %zu threads\n", slots);
        abort();
    }
    stack_slots = slots;
}

static void lane_main(struct transfer arrival)
{
    scheduler_context = arrival.from;
    const struct machine_launch *launch = the_machine.run.launch;
    launch->body(launch->closure);
    lane_exit();
}

/* Gives the lane the stack of this slot and makes it stand at the kernel's first line. */
void lane_prepare(struct lane *lane, size_t slot)
{
    const struct machine_description *d = &the_machine.description;
    reserve_stacks((size_t)d->sm_count * (size_t)d->max_threads_per_sm);
    unsigned char *low = stacks + slot * STACK_BYTES;
    *(unsigned *)low = CANARY;
    lane->stack_low = (uintptr_t)low;
    lane->stack_high = (uintptr_t)low + STACK_BYTES;
    lane->context = make_fcontext(low + STACK_BYTES, STACK_BYTES - sizeof(unsigned), lane_main);
}

void lane_resume(struct lane *lane)
{
    current_lane = lane;
    struct transfer back = jump_fcontext(lane->context, NULL);
    lane->context = back.from;
    current_lane = NULL;
    if (*(unsigned *)lane->stack_low != CANARY) {
        fprintf(stderr, "machine: a kernel thread needs more than %zu bytes of stack\n", STACK_BYTES);
        abort();
    }
}

void lane_wait(void)
{
    scheduler_context = jump_fcontext(scheduler_context, NULL).from;
}

void lane_exit(void)
{
    current_lane->state = LANE_EXITED;
    jump_fcontext(scheduler_context, NULL);
    abort(); /* an exited lane is never resumed */
}
