/* How long a launch takes until its kernel starts. */
#ifndef MACHINE_LAUNCH_H
#define MACHINE_LAUNCH_H

#include <stdbool.h>

/* The host launches a kernel, while the preceding one may run. Returns the time from now to the kernel's
 * start. The host is busy for launch_asynchronous, which delays its next launch. */
int launch_begin(unsigned blocks);

/* The host asks for a memset in a stream, which is a kernel of the driver. Time goes on to its end, if the
 * description says how long it takes. */
void launch_memset(void);

/* The time between the end of a node of a graph and the start of the next one, which has this number of
 * blocks. */
int launch_cost_in_graph(bool programmatic, unsigned blocks);

/* The host has waited for what it launched: time goes on by what a launch with a wait costs more. */
void launch_was_waited_for(void);

/* The host has only seen that its launches have ended, or a program begins. */
void launch_was_queried(void);

#endif
