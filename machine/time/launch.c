#include "machine/time/launch.h"
#include "machine/state.h"

static bool launched_since_wait;

/* Returns the time from now, when earlier work has ended, to the start of new work. The host begins to submit
 * the new work when its last launch call has returned, and takes the time `host` for this. */
static int begin_after(int host)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t begin = the_machine.now + (uint64_t)d->launch_behind;
    the_machine.host_at += (uint64_t)host;
    if (the_machine.host_at < begin)
        return d->launch_behind;
    return (int)(the_machine.host_at - the_machine.now);
}

int launch_begin(unsigned blocks)
{
    const struct machine_description *d = &the_machine.description;
    launched_since_wait = true;
    if (!d->launch_behind)
        return d->launch_asynchronous + (int)blocks * d->launch_block;
    return begin_after(d->launch_asynchronous);
}

void launch_memset(void)
{
    const struct machine_description *d = &the_machine.description;
    if (d->memset_asynchronous)
        the_machine.now += (uint64_t)begin_after(d->memset_asynchronous);
}

void launch_copy(uint64_t bytes)
{
    const struct machine_description *d = &the_machine.description;
    if (d->copy_bytes_per_1000_units)
        the_machine.now += (uint64_t)d->copy_latency + bytes * 1000 / (uint64_t)d->copy_bytes_per_1000_units;
}

int launch_cost_in_graph(bool programmatic, unsigned blocks)
{
    const struct machine_description *d = &the_machine.description;
    int more = (int)((uint64_t)d->launch_graph_block_per_1000 * (blocks - 1) / 1000);
    return more + (programmatic ? d->launch_graph_pdl : d->launch_graph);
}

/* launch_synchronous is the time of a launch and this wait together, so the launch's own share is
 * subtracted. */
void launch_was_waited_for(void)
{
    int extra = the_machine.description.launch_synchronous - the_machine.description.launch_asynchronous;
    if (launched_since_wait && extra > 0)
        the_machine.now += (uint64_t)extra;
    launch_was_queried();
}

void launch_was_queried(void)
{
    launched_since_wait = false;
    the_machine.host_at = the_machine.now;
}
