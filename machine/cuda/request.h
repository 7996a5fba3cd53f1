/* Requests of the running lane that a kernel makes by a call. */
#ifndef MACHINE_REQUEST_H
#define MACHINE_REQUEST_H

#include "machine/engine/lanes.h"

#define HERE __builtin_return_address(0)

static inline struct lane *self(void)
{
    return &running.warp->lanes[running.lane];
}

static inline struct lane_more *more_of_self(void)
{
    return &running.warp->more[running.lane];
}

/* Makes the request and waits; what of it is not named here, the caller has filled in. */
void request(enum request_kind kind, uintptr_t address, unsigned bytes, const void *instruction);

#endif
