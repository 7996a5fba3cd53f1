#include "machine/engine/lanes.h"
#include "base/failure.h"
#include "machine/ptx.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *make_fcontext(void *stack_top, size_t bytes, void (*entry)(struct transfer));

#ifdef __SANITIZE_ADDRESS__
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

void sanitizer_before_switch(void)
{
    static __thread void *own_stack;
    static __thread size_t own_bytes;
    pthread_attr_t attributes;
    if (running.warp) {
        __sanitizer_start_switch_fiber(NULL, running.warp->stacks + running.lane * lane_stack_bytes,
                                       lane_stack_bytes);
        return;
    }
    if (!own_stack && (pthread_getattr_np(pthread_self(), &attributes) != 0 ||
                       pthread_attr_getstack(&attributes, &own_stack, &own_bytes) != 0 ||
                       pthread_attr_destroy(&attributes) != 0))
        abort();
    __sanitizer_start_switch_fiber(NULL, own_stack, own_bytes);
}

void sanitizer_after_switch(void)
{
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
}
#else
#define __asan_unpoison_memory_region(memory, bytes) ((void)0)
#endif

#define HUGE_PAGE ((size_t)2 << 20)
/* stacks larger than this get no huge pages, because most of their memory is never used */
#define MOST_PACKED ((size_t)16 << 10)

#ifdef __SANITIZE_ADDRESS__ /* whose frames are larger */
size_t lane_stack_bytes = 65536 + 64;
#else
size_t lane_stack_bytes = 8192 + 64;
#endif
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
    sanitizer_after_switch();
    *(void **)arrival.data = arrival.from;
    running.launch->body(running.launch->closure);
    if (lane_watcher)
        lane_watcher();
    ahead_exit(running.warp);
    lanes_hand_over();
    give_up("machine: an exited lane was resumed\n");
}

void lanes_prepare(struct warp *warp, size_t slot)
{
    if (warp->block->kernel->launch.program)
        return ptx_warp_begin(warp);
    warp->stacks = stacks + slot * lane_stack_bytes;
    /* a lane does not return from its last frames, which AddressSanitizer has marked */
    __asan_unpoison_memory_region(warp->stacks, warp->lane_count * lane_stack_bytes);
    for (unsigned i = 0; i < warp->lane_count; i++)
        warp->lanes[i].context =
            make_fcontext(warp->stacks + (i + 1) * lane_stack_bytes, lane_stack_bytes, lane_main);
}

void lanes_run(struct warp *warp, lane_set lanes, bool ahead)
{
    if (!lanes)
        return;
    unsigned first = first_lane(lanes);
    running.queue = ahead && !lane_watcher ? warp->ahead : NULL;
    running.warp = warp;
    running.launch = &warp->block->kernel->launch;
    /* PTX calls no hook: code with hooks that runs meanwhile, when the program exits, is the host's */
    if (warp->ptx) {
        ptx_warp_run(warp, lanes);
        running.warp = NULL;
        return;
    }
    lanes_enter(warp, first, lanes & (lanes - 1));
    lanes_run_here = true;
    lanes_switch(warp->lanes[first].context, &running.scheduler);
    lanes_run_here = false;
}
