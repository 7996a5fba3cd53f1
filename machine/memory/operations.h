/* What atomic operations make of a value. */
#ifndef MACHINE_OPERATIONS_H
#define MACHINE_OPERATIONS_H

#include "machine/kernel_calls.h"

uint64_t operation_low_bytes(uint64_t value, unsigned bytes);

/* Of values of this number of bytes; `expected` is of compare-and-swap alone. */
uint64_t operation_result(enum machine_operation operation, uint64_t old, uint64_t value, uint64_t expected,
                          unsigned bytes);

#endif
