#include "machine/engine/lanes.h"
#include "base/failure.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *make_fcontext(void *stack_top, size_t bytes, void (*entry)(struct transfer));

#define HUGE_PAGE ((size_t)2 << 20)
/* stacks larger than this get no huge pages, because most of their memory is never used */
#define MOST_PACKED ((size_t)16 << 10)

size_t lane_stack_bytes = 8192 + 64;
__thread bool lanes_run_here;

static unsigned char *space, *stacks;
static size_t space_bytes, stack_slots;

/* Ends the program with this message. Writes without stdio, because a lane's stack has no room for it. */
static void __attribute__((noreturn)) give_up(const char *message)
{
    ssize_t ignored = write(STDERR_FILENO, message, strlen(message));
    (void)ignored;
    abort();
}

void lane_stack_overflow(void)
{
    give_up(lane_stack_bytes < 16384 ? "machine: a kernel thread needs more than 7 KiB of stack\n"
                                     : "machine: a kernel thread needs more stack than it has\n");
}

/* Reserves address space for stacks; a stack's pages are allocated when its lane first uses them. The
 * pages are huge if the system has huge pages: thousands of lanes take turns, and with small pages each
 * switch would miss the TLB. */
void lanes_open(size_t slots)
{
    if (slots <= stack_slots)
        return;
    if (space)
        munmap(space, space_bytes);
    space_bytes = slots * lane_stack_bytes + HUGE_PAGE;
    space =
        mmap(NULL, space_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        fail(EXIT_CANNOT, "out of memory");
    stacks = space + (HUGE_PAGE - (uintptr_t)space % HUGE_PAGE) % HUGE_PAGE;
    if (lane_stack_bytes < MOST_PACKED)
        madvise(stacks, slots * lane_stack_bytes, MADV_HUGEPAGE);
    stack_slots = slots;
}

static void lane_main(struct transfer arrival)
{
    *(void **)arrival.data = arrival.from;
    running.launch->body(running.launch->closure);
    if (lane_watcher)
        lane_watcher();
    running.warp->exited |= LANE(running.lane);
    lanes_hand_over();
    give_up("machine: an exited lane was resumed\n");
}

void lanes_prepare(struct warp *warp, size_t slot)
{
    warp->stacks = stacks + slot * lane_stack_bytes;
    for (unsigned i = 0; i < warp->lane_count; i++)
        warp->lanes[i].context =
            make_fcontext(warp->stacks + (i + 1) * lane_stack_bytes, lane_stack_bytes, lane_main);
}

void lanes_run(struct warp *warp, lane_set lanes)
{
    unsigned first = first_lane(lanes);
    running.warp = warp;
    running.launch = &warp->block->kernel->launch;
    lanes_enter(warp, first, lanes & (lanes - 1));
    lanes_run_here = true;
    lanes_switch(warp->lanes[first].context, &running.scheduler);
    lanes_run_here = false;
}
