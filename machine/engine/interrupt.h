/* Ends a run from outside (machine_interrupt() in machine/machine.h). */
#ifndef MACHINE_INTERRUPT_H
#define MACHINE_INTERRUPT_H

#include <stddef.h>

extern void (*volatile interrupt_stop)(void);

static inline void interrupt_if_due(void)
{
    if (__builtin_expect(interrupt_stop != NULL, 0))
        interrupt_stop();
}

#endif
