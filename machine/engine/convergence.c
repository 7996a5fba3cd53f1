#include "machine/engine/convergence.h"
#include "base/failure.h"

void convergence_set(struct warp *warp, lane_set lanes)
{
    struct convergence *points = warp->convergence;
    FOR_EACH_LANE(i, lanes)
    {
        if (points->depth[i] == MAX_CONVERGENCE_DEPTH)
            fail(EXIT_CANNOT, "more than %d convergence points in each other", MAX_CONVERGENCE_DEPTH);
        points->together[points->depth[i]++][i] = lanes;
    }
}

/* Returns whether all lanes that were together with this lane when its convergence point was set have
 * arrived at the point or exited. */
static bool complete(const struct warp *warp, unsigned lane)
{
    const struct convergence *points = warp->convergence;
    unsigned depth = points->depth[lane];
    lane_set others = points->together[depth - 1][lane] & ~warp->exited;
    if (others & ~warp->at_convergence)
        return false;
    FOR_EACH_LANE(i, others)
    if (points->depth[i] != depth)
        return false;
    return true;
}

/* Returns those of these lanes whose last convergence point is the same as that of the first one. */
static lane_set with_same_point(const struct warp *warp, lane_set lanes)
{
    const struct convergence *points = warp->convergence;
    unsigned first = first_lane(lanes), depth = points->depth[first];
    lane_set same = 0;
    FOR_EACH_LANE(i, lanes)
    if (points->depth[i] == depth && points->together[depth - 1][i] == points->together[depth - 1][first])
        same |= LANE(i);
    return same;
}

lane_set convergence_reached(struct warp *warp)
{
    lane_set go = 0;
    for (lane_set alike, left = warp->at_convergence; left; left &= ~alike) {
        alike = with_same_point(warp, left);
        if (complete(warp, first_lane(left)))
            go |= alike;
    }
    if (go)
        note_change();
    FOR_EACH_LANE(i, go) warp->convergence->depth[i]--;
    return go;
}
