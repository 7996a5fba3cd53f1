/* What a run did when: a line for each memory request, and the counts between barriers. */
#include "machine/state.h"

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

void trace_request(struct lane *const *lanes, uint64_t now)
{
    const struct request *request = &lanes[0]->request;
    uint64_t start = the_machine.run.start;
    if (!trace || request->kind > REQUEST_ATOMIC)
        return;
    const struct block *block = lanes[0]->warp->block;
    fprintf(trace, "%u\t%u\t%s\t%llu\t%llu\t%llu\n", block->index,
            lanes[0]->thread / (unsigned)the_machine.description.warp_size, kind_name(request->kind),
            (unsigned long long)(now - start), (unsigned long long)(lanes[0]->effect_at - start),
            (unsigned long long)(lanes[0]->complete_at - start));
}

void trace_forget_intervals(void)
{
    interval_count = 0;
    before = (struct machine_interval){0};
}

/* Of launches of one block only: the barriers of several have no common time. */
void trace_interval_ends(uint64_t now)
{
    const struct machine_counters *c = &the_machine.counters;
    if (the_machine.run.launch->grid != 1 || interval_count == MOST_INTERVALS)
        return;
    struct machine_interval total = {now - the_machine.run.start, c->requests, c->transactions};
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
