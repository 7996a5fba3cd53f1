#include "machine/trace.h"

#include <stdlib.h>

#define MOST_INTERVALS 4096

static FILE *trace;
static struct machine_interval intervals[MOST_INTERVALS];
static size_t interval_count;
static struct machine_interval before; /* totals when the last interval ended */

void machine_trace(FILE *file)
{
    trace = file;
}

static const char *kind_name(enum request_kind kind)
{
    return kind == REQUEST_LOAD ? "load" : kind == REQUEST_STORE ? "store" : "atomic";
}

void trace_request(const struct warp *warp, const struct group *group, uint64_t now)
{
    uint64_t start = the_machine.run.start;
    if (!trace || group->kind > REQUEST_ATOMIC)
        return;
    fprintf(trace, "%u\t%u\t%s\t%llu\t%llu\t%llu\n", warp->block->index,
            thread_of(warp, 0) / (unsigned)the_machine.description.warp_size, kind_name(group->kind),
            (unsigned long long)(now - start), (unsigned long long)(group->effect_at - start),
            (unsigned long long)(group->complete_at - start));
}

void trace_forget_intervals(void)
{
    interval_count = 0;
}

void trace_launch_begins(void)
{
    const struct machine_counters *c = &the_machine.counters;
    before = (struct machine_interval){the_machine.run.start, c->requests, c->transactions};
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
