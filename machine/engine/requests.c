#include "machine/engine/requests.h"
#include "machine/engine/critical_path.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/groups.h"
#include "machine/engine/trace.h"
#include "machine/time/cost.h"

void requests_start(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    cost_charge(sm, warp, group, now);
    trace_request(warp, group, now);
    if (__builtin_expect(spent_is_noted, false))
        critical_path_request(warp, group, now);
    /* atomics, unlocking stores and watched stores call note_change() later, when they take effect */
    if (group->kind == REQUEST_STORE && !deadlock_watches_stores())
        note_change();
    if (group->kind == REQUEST_LOAD || group->kind == REQUEST_ATOMIC || group->kind == REQUEST_LOCK_LOAD)
        deadlock_remember_loads(warp, group->lanes);
    groups_enter_memory(warp, group);
}
