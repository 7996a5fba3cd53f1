/* Opens the device on which a test of synchronization runs. */
#ifndef TESTS_WEAK_DEVICE_H
#define TESTS_WEAK_DEVICE_H

#include "base/failure.h"
#include "harness/device.h"
#include "harness/options.h"

/* Opens the GPU of this computer or, for the memory machine, an H100 with the oldest values that PTX allows,
 * an adversarial schedule and reports of races. Returns the device. `name` is the test's name, for
 * messages. */
static inline device open_weak_device(const char *name)
{
    static options options;
    static device opened;
    set_program_name(name);
#ifdef GPUSYNC_MACHINE
    options.device = "h100";
    options.memory = "oldest";
    options.schedule = "adversarial";
    options.races = true;
#endif
    open_device(&options, &opened);
    return opened;
}

#endif
