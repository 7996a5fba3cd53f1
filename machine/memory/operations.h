/* The results of atomic operations. */
#ifndef MACHINE_OPERATIONS_H
#define MACHINE_OPERATIONS_H

#include "machine/kernel_calls.h"

/* Returns the number in the lowest `bytes` bytes of the value. */
uint64_t operation_low_bytes(uint64_t value, unsigned bytes);

/* Returns an atomic operation's new value. The values have this number of bytes. Only a compare-and-swap
 * uses `expected`. */
uint64_t operation_result(enum machine_operation operation, uint64_t old, uint64_t value, uint64_t expected,
                          unsigned bytes);

#endif
