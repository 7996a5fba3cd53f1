/*
 * Lanes that run ahead of the machine's time. A lane whose plain accesses race with no other one need not
 * stop at them: it puts each request into the warp's queue, makes the access at once, and stops at a
 * request by which lanes synchronize, or when the queue is full. The machine then takes the requests from
 * the queue, one at a time, and charges each at its time, as if the lane had stopped there. The lane's
 * stack comes into the processor's cache once for all these accesses. machine_run_lanes_ahead() turns this
 * on.
 */
#ifndef MACHINE_AHEAD_H
#define MACHINE_AHEAD_H

#include "machine/code/instructions.h"
#include "machine/code/kernel_code.h"
#include "machine/state.h"

#include <string.h>

/* largest number of requests that a lane makes before it stops at another one */
#define MOST_AHEAD 12

/* Returns whether the lanes of blocks that begin now may run ahead. They may not if something looks at
 * each lane at each of its accesses. */
bool ahead_is_on(void);

/* Returns the empty queues of this number of warps; free() frees them. */
struct ahead *ahead_make(unsigned warps);

/* A warp's queue. The lanes' first requests mostly differ in their addresses alone, and so do their second
 * requests, and so on. So the queue has, for each of these, one request and the address of each lane. A lane
 * whose request differs in anything else stops at it. */
struct ahead {
    struct lane common[MOST_AHEAD];
    lane_set like_common[MOST_AHEAD]; /* lanes whose request is `common`, apart from its address */
    uintptr_t address[MOST_AHEAD][MACHINE_MAX_WARP];
    struct lane last[MACHINE_MAX_WARP]; /* for each lane, the request at which it has stopped */
};

/* The members of a lane that belong to its request are those from `needs` on, the address and the
 * instruction. */
#define REQUEST_BYTES (sizeof(struct lane) - offsetof(struct lane, needs))

/* Puts the running lane's request into the queue. Returns false if it differs too much from those of other
 * lanes. */
static inline bool ahead_put(const struct lane *lane)
{
    struct ahead *queue = running.queue;
    struct lane *common = &queue->common[running.ahead];
    lane_set *alike = &queue->like_common[running.ahead];
    if (!*alike)
        *common = *lane;
    else if (common->instruction != lane->instruction ||
             memcmp(&common->needs, &lane->needs, REQUEST_BYTES) != 0)
        return false;
    *alike |= LANE(running.lane);
    queue->address[running.ahead++][running.lane] = lane->address;
    return true;
}

/* Called by a lane that has filled in a request by which lanes do not synchronize. Returns true if the
 * lane goes on at once, and false if it must stop at the request. */
static inline bool ahead_goes(struct lane *lane)
{
    if (!running.queue || running.ahead == MOST_AHEAD || !ahead_put(lane))
        return false;
    lane->work = work_after(lane->instruction);
    lane->arithmetic = 0;
    lane->needs = 0;
    lane->turned = false;
    running.code = (uintptr_t)lane->instruction;
    return true;
}

/* Called by a lane that stops after it has run ahead: keeps the request at which it stops, and makes the
 * first one in the queue the lane's request. */
void ahead_stop(struct warp *warp);

/* Called by a lane that exits, before it stops. */
void ahead_exit(struct warp *warp);

/* Makes the next request in the queue the request of each of these lanes that has one there. Returns the
 * other lanes, whose code must run. */
lane_set ahead_take(struct warp *warp, lane_set lanes);

#endif
