/* Lanes as fibers: each thread of a running kernel has a stack and stops at its next request. */
#ifndef MACHINE_LANES_H
#define MACHINE_LANES_H

#include "machine/engine/ahead.h"

/* Called before a launch: makes room for this number of lanes' stacks. */
void lanes_open(size_t slots);

/* Gives the warp's lanes their stacks, from number `slot` on, and prepares each to start at the kernel's
 * first line. */
void lanes_prepare(struct warp *warp, size_t slot);

/*
 * Lets these lanes, if there are any, execute their requests, one after the other in their order, and run
 * on until each has reached its next request or has exited. Each lane switches to the next lane itself.
 * `ahead` says whether the lanes may run ahead (machine/engine/ahead.h) if their warp has a queue.
 */
void lanes_run(struct warp *warp, lane_set lanes, bool ahead);

/* Does this thread of the host run lanes now? Other threads of the host may run host code meanwhile. */
extern __thread bool lanes_run_here;
/* Returns the warp whose lane calls, or NULL if host code does. */
static inline struct warp *calling_warp(void)
{
    return lanes_run_here ? running.warp : NULL;
}

/* Called by a lane that has filled in its request. Returns when the lane may execute the request. */
static inline void lane_wait(const void *frame);

/* Size of a lane's stack; it may be set before the first launch. It is not a multiple of 4 KiB: stacks
 * whose tops have equal low address bits would share cache sets. */
extern size_t lane_stack_bytes;
/* number of bytes that hooks and libraries may need below a kernel's own stack frames */
#define LANE_STACK_RESERVE 1024

/* Is the address on the running lane's stack? `frame` is the stack frame of the calling hook, which is the
 * lowest address in use. */
static inline bool lane_owns(uintptr_t address, const void *frame)
{
    uintptr_t top = running.stack_limit - LANE_STACK_RESERVE + lane_stack_bytes;
    return address - (uintptr_t)frame < top - (uintptr_t)frame;
}

/* ---- how a lane switches to the next one; inline, because this happens at every access ---- */

/* The C interface of libboost-context: what a switch to a context returns. */
struct transfer {
    void *from, *data;
};
struct transfer jump_fcontext(void *to, void *data);

/* AddressSanitizer must be told on which stack the code runs after a switch: that of the running lane, or
 * that of the host thread if no lane runs. */
#ifdef __SANITIZE_ADDRESS__
void sanitizer_before_switch(void);
void sanitizer_after_switch(void);
#else
#define sanitizer_before_switch() ((void)0)
#define sanitizer_after_switch() ((void)0)
#endif

void __attribute__((noreturn)) lane_stack_overflow(void);

/* Switches to the context `to`. The context that runs then stores at `stopped_at` where the calling
 * context has stopped. */
static inline void lanes_switch(void *to, void **stopped_at)
{
    sanitizer_before_switch();
    struct transfer arrival = jump_fcontext(to, stopped_at);
    sanitizer_after_switch();
    *(void **)arrival.data = arrival.from;
}

static inline void lanes_enter(struct warp *warp, unsigned lane, lane_set left)
{
    running.lane = lane;
    running.code = (uintptr_t)warp->lanes[lane].instruction;
    running.left = left;
    running.stack_limit = (uintptr_t)warp->stacks + lane * lane_stack_bytes + LANE_STACK_RESERVE;
    running.ahead = 0;
    if (left) { /* prefetches the stack lines that the lane after this one will touch */
        const char *top = warp->lanes[first_lane(left)].context;
        for (int line = -2; line < 6; line++)
            __builtin_prefetch(top + 64 * line, 1);
    }
}

/* Switches from a lane that stops to the next lane that is to run, or to the scheduler. */
static inline void lanes_hand_over(void)
{
    struct warp *warp = running.warp;
    struct lane *lane = &warp->lanes[running.lane];
    if (running.ahead)
        ahead_stop(warp);
    lane_set left = running.left;
    void *to = running.scheduler;
    if (left) {
        unsigned next = first_lane(left);
        lanes_enter(warp, next, left & (left - 1));
        to = warp->lanes[next].context;
    } else {
        running.warp = NULL;
    }
    lanes_switch(to, &lane->context);
}

static inline void lane_wait(const void *frame)
{
    if ((uintptr_t)frame < running.stack_limit)
        lane_stack_overflow();
    if (__builtin_expect(lane_watcher != NULL, false))
        lane_watcher();
    lanes_hand_over();
}

#endif
