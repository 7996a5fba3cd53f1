/*
 * A device whose answers are wrong, for tests that must fail: GPUSYNC_MACHINE_FAULT in the environment changes
 * every copy from the device to the host. `bit`: one bit in its middle; `zeros`: all of it is zero; `ones`: the
 * eight bytes in its middle are all ones, which is NaN.
 */
#ifndef MACHINE_FAULT_H
#define MACHINE_FAULT_H

#include <stddef.h>

void fault_apply(void *copy, size_t bytes);

#endif
