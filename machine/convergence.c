/*
 * Convergence points of a lockstep machine. Before Volta, a warp had one program counter: where its lanes
 * went apart, the hardware ran one side after the other and brought them together again at a point that an
 * instruction had set before (SSY; Li 2015, Listings 3 and 8). Lanes that reach the point wait there for the
 * others, which is what makes the SIMD deadlock of section 4.4.1.
 *
 * Where a kernel sets no point, the machine runs the lanes at the lowest instruction first, so that they meet
 * where the branches of the code do.
 */
#include "machine/state.h"

#include <stdio.h>
#include <stdlib.h>

/* The lanes that are here together will meet again. An instruction of its own, without a result to wait for.
 */
void convergence_set(struct lane **lanes, unsigned count, uint64_t now)
{
    uint64_t together = 0;
    for (unsigned i = 0; i < count; i++)
        together |= UINT64_C(1) << (lanes[i] - lanes[i]->warp->lanes);
    for (unsigned i = 0; i < count; i++) {
        if (lanes[i]->convergence_depth == MAX_CONVERGENCE_DEPTH) {
            fprintf(stderr, "machine: more than %d convergence points in each other\n",
                    MAX_CONVERGENCE_DEPTH);
            abort();
        }
        lanes[i]->converging[lanes[i]->convergence_depth++] = together;
        scheduler_go_on(lanes[i], now + 1, now + 1);
    }
}

/* Have all that were together arrived or exited? */
static bool complete(const struct warp *warp, const struct lane *lane)
{
    unsigned depth = lane->convergence_depth;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        const struct lane *other = &warp->lanes[i];
        if (!(lane->converging[depth - 1] >> i & 1) || other->state == LANE_EXITED)
            continue;
        if (other->state != LANE_AT_CONVERGENCE || other->convergence_depth != depth)
            return false;
    }
    return true;
}

/* Lets lanes go on whose point is complete. */
void convergence_check(struct warp *warp, uint64_t now)
{
    bool go[MACHINE_MAX_WARP], any = false;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        go[i] = warp->lanes[i].state == LANE_AT_CONVERGENCE && complete(warp, &warp->lanes[i]);
        any = any || go[i];
    }
    if (any)
        scheduler_changed();
    for (unsigned i = 0; i < warp->lane_count; i++)
        if (go[i]) {
            warp->lanes[i].convergence_depth--;
            scheduler_go_on(&warp->lanes[i], now + 1, now + 1);
        }
}
