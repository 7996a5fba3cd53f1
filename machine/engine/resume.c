#include "machine/engine/resume.h"
#include "machine/engine/clock_waits.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/orders.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/together.h"
#include "machine/ptx.h"

void resume_lanes(struct warp *warp, const struct resumption *resumptions, unsigned count)
{
    lane_set lanes = 0;
    for (unsigned r = 0; r < count; r++)
        lanes |= resumptions[r].lanes;
    if (lanes != (all_lanes(warp) & ~warp->exited))
        together_end(warp);
    reconvergence_begin(warp);
    bool watches = deadlock_watches_stores();
    if (watches)
        deadlock_before_stores(warp, lanes);
    if (__builtin_expect(orders_are_noted, false))
        orders_access(warp, lanes);
    if (lanes)
        ptx_warp_run(warp, lanes);
    if (__builtin_expect(clock_waits_watch, false))
        clock_waits_ran(warp, lanes);
    if (watches)
        deadlock_after_stores();
    for (unsigned r = 0; r < count; r++)
        reconvergence_end(warp, resumptions[r].lanes);
    for (unsigned r = 0; r < count; r++)
        groups_form(warp, resumptions[r].lanes, &resumptions[r].last);
    reconvergence_open(warp);
    groups_update_times(warp);
}
