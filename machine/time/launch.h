/* The time of the host's part of launches. */
#ifndef MACHINE_LAUNCH_H
#define MACHINE_LAUNCH_H

#include <stdbool.h>

/* The time from now to the kernel's start: the host launches it, while the preceding kernel may run. The
 * second function is for a kernel that follows another kernel of a graph. */
int launch_cost(void);
int launch_cost_in_graph(bool programmatic);

/* The host has waited for what it launched; the other function: the host has only seen that the launch has
 * ended, or begins anew. */
void launch_was_waited_for(void);
void launch_was_asked_for(void);

#endif
