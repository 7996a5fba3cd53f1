/* The time from a launch by the host to the start of its kernel. */
#ifndef MACHINE_LAUNCH_H
#define MACHINE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

/* Called when the host launches a kernel; the preceding kernel may still run. Returns the time from now to
 * the kernel's start. The host is busy for launch_asynchronous, which delays its next launch. */
int launch_begin(unsigned blocks);

/* Called when the host asks for a memset in a stream, which is a kernel of the driver. If the machine's
 * description says how long a memset takes, advances the time to its end. */
void launch_memset(void);

/* Called when a stream copies bytes between the host and a device: advances the time to the copy's end. If
 * the machine's description has no rate of copies, they take no time. */
void launch_copy(uint64_t bytes);

/* Returns the time between the end of a node of a graph and the start of the next node, which has this
 * number of blocks. */
int launch_cost_in_graph(bool programmatic, unsigned blocks);

/* Called when the host has waited for its launches: advances the time by the additional cost of a launch
 * with a wait. */
void launch_was_waited_for(void);

/* Called when a program begins, or when the host has learned without waiting that its launches have ended. */
void launch_was_queried(void);

#endif
