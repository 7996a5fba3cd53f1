/* How the loops of micro-components are built, for code that makes machine descriptions of their results. */
#ifndef MICRO_COMPONENT_LOOPS_H
#define MICRO_COMPONENT_LOOPS_H

#define TURNS 8 /* that are unrolled, so that a loop's own instructions are few beside the part */
#define LONG_KERNEL_CYCLES 20000 /* about 10 us: longer than the host takes to launch the next one */

#endif
