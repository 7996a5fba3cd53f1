/* What the host's part of launches takes. */
#ifndef MACHINE_LAUNCH_H
#define MACHINE_LAUNCH_H

#include <stdbool.h>

/* From now to the kernel's start: the host launches it, while the one before it may run. In a graph, behind another. */
int launch_cost(void);
int launch_cost_in_graph(bool programmatic);

/* The host has waited for what it launched; or it has only seen that it has ended, or begins anew. */
void launch_was_waited_for(void);
void launch_was_asked_for(void);

#endif
