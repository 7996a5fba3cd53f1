/*
 * Several devices, whose blocks are parts of one grid: the first blocks belong to the first device, and so
 * on. Each device has multiprocessors and a memory of its own.
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

/* Returns the number of a grid's blocks that belong to each device except the last one, which has the
 * remaining blocks. */
static inline unsigned device_share(unsigned grid)
{
    return (grid + device_count() - 1) / device_count();
}

/* Returns how many of the kernel's blocks the device runs. */
static inline unsigned device_blocks(const struct kernel *kernel, unsigned device)
{
    unsigned share = device_share(kernel->most), before = device * share;
    return before >= kernel->most ? 0 : kernel->most - before < share ? kernel->most - before : share;
}

/* Returns the number of devices that the program sees. */
unsigned devices_shown(void);

/* Chooses the device in whose memory arrays will be allocated. Returns false if there is no device with
 * this number. */
bool device_choose(unsigned device);
unsigned device_chosen(void);

/* Returns the device that has the address in its memory. The first device has everything that was not
 * allocated, such as a kernel's static variables. */
unsigned device_of_address(uintptr_t address);

#endif
