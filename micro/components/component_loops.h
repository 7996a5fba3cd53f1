/* Constants of micro-components' loops, also for code that derives machine descriptions from their results */
#ifndef MICRO_COMPONENT_LOOPS_H
#define MICRO_COMPONENT_LOOPS_H

/* number of unrolled iterations, so that the loop itself adds few instructions to each measured operation */
#define TURNS 8
/* duration of long_kernel: about 10 us, longer than the host takes to launch the next kernel */
#define LONG_KERNEL_CYCLES 20000

#endif
