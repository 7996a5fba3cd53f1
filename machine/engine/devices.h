/*
 * Several devices, whose blocks are parts of one grid: the first ones of it are the first device's, and so on. Each
 * device has multiprocessors and a memory of its own.
 */
#ifndef MACHINE_DEVICES_H
#define MACHINE_DEVICES_H

#include "machine/state.h"

static inline unsigned device_count(void)
{
    return the_machine.devices ? the_machine.devices : 1;
}

static inline unsigned device_of_sm(const struct sm *sm)
{
    return sm->index / (unsigned)the_machine.description.sm_count;
}

/* Of a grid of so many blocks: how many each device has, but the last ones, which have what is left. */
static inline unsigned device_share(unsigned grid)
{
    return (grid + device_count() - 1) / device_count();
}

static inline unsigned device_blocks(const struct kernel *kernel, unsigned device)
{
    unsigned share = device_share(kernel->grid), before = device * share;
    return before >= kernel->grid ? 0 : kernel->grid - before < share ? kernel->grid - before : share;
}

/* What is allocated from now on is in this one's memory; false: there is no such device. */
bool device_choose(unsigned device);
unsigned device_chosen(void);

/* In whose memory it is; what was not allocated, such as a kernel's static variables, is in the first one's. */
unsigned device_of_address(uintptr_t address);

#endif
