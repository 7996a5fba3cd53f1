#include "machine/engine/trace.h"
#include "base/memory.h"

#include <stdlib.h>

#define MOST_INTERVALS 4096

static FILE *trace;

bool trace_is_on(void)
{
    return trace != NULL;
}

/* Lanes that have arrived at a barrier that has not opened yet. */
struct arrival {
    const struct warp *warp;
    lane_set lanes;
    unsigned kind;
    uint64_t dispatched;
};
static struct arrival *arrivals;
static size_t arrival_count;

static struct machine_interval intervals[MOST_INTERVALS];
static size_t interval_count;
static struct machine_interval before; /* the counters' totals when the present interval began */

void machine_trace(FILE *file)
{
    trace = file;
    free(arrivals);
    arrivals = NULL;
    arrival_count = 0;
}

/* Returns the name of a kind of request, or NULL if the trace has no lines for this kind. */
static const char *kind_name(unsigned kind)
{
    static const char *const names[REQUEST_CLOCK + 1] = {[REQUEST_LOAD] = "load",
                                                         [REQUEST_STORE] = "store",
                                                         [REQUEST_ATOMIC] = "atomic",
                                                         [REQUEST_LOCK_LOAD] = "lock-load",
                                                         [REQUEST_STORE_UNLOCK] = "store-unlock",
                                                         [REQUEST_BLOCK_BARRIER] = "syncthreads",
                                                         [REQUEST_NAMED_BARRIER] = "named-barrier",
                                                         [REQUEST_NAMED_ARRIVAL] = "named-arrival",
                                                         [REQUEST_WARP_BARRIER] = "syncwarp"};
    return names[kind];
}

static void print_line(const struct warp *warp, unsigned kind, uint64_t dispatched, uint64_t served,
                       uint64_t complete)
{
    uint64_t start = the_machine.run.start;
    fprintf(trace, "%u\t%u\t%s\t%llu\t%llu\t%llu\n", warp->block->index,
            thread_of(warp, 0) / (unsigned)the_machine.description.warp_size, kind_name(kind),
            (unsigned long long)(dispatched - start), (unsigned long long)(served - start),
            (unsigned long long)(complete - start));
}

void trace_request(const struct warp *warp, const struct group *group, uint64_t now)
{
    if (trace && kind_name(group->kind))
        print_line(warp, group->kind, now, group->effect_at, group->complete_at);
}

/* ---- barriers ---- */

void trace_arrival(const struct warp *warp, const struct group *group, uint64_t now)
{
    if (!trace || !kind_name(group->kind))
        return;
    arrivals = with_room(arrivals, sizeof *arrivals, arrival_count, 1);
    arrivals[arrival_count++] = (struct arrival){warp, group->lanes, group->kind, now};
}

void trace_departure(const struct warp *warp, lane_set lanes, uint64_t now, uint64_t open_at)
{
    size_t kept = 0;
    if (!trace)
        return;
    for (size_t i = 0; i < arrival_count; i++) {
        struct arrival *a = &arrivals[i];
        if (a->warp == warp && a->lanes & lanes) {
            print_line(warp, a->kind, a->dispatched, now, open_at);
            a->lanes &= ~lanes;
        }
        if (a->lanes)
            arrivals[kept++] = *a;
    }
    arrival_count = kept;
}

/* ---- intervals ---- */

void trace_forget_intervals(void)
{
    interval_count = 0;
}

void trace_launch_begins(void)
{
    const struct machine_counters *c = &the_machine.counters;
    before = (struct machine_interval){the_machine.run.start, c->requests, c->transactions};
    arrival_count = 0; /* a launch that ended in a deadlock may have left arrivals */
}

void trace_interval_ends(uint64_t now)
{
    const struct machine_counters *c = &the_machine.counters;
    if (the_machine.run.shared || the_machine.run.kernels[0].grid != 1 || interval_count == MOST_INTERVALS)
        return;
    struct machine_interval total = {now, c->requests, c->transactions};
    intervals[interval_count++] =
        (struct machine_interval){total.time_units - before.time_units, total.requests - before.requests,
                                  total.transactions - before.transactions};
    before = total;
}

size_t machine_intervals(const struct machine_interval **out)
{
    *out = intervals;
    return interval_count;
}
