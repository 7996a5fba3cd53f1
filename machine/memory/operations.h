/* The results of atomic operations. */
#ifndef MACHINE_OPERATIONS_H
#define MACHINE_OPERATIONS_H

#include <stdint.h>

enum machine_operation {
    OPERATION_ADD,
    OPERATION_EXCHANGE,
    OPERATION_COMPARE_SWAP,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_MIN,
    OPERATION_MAX,
    OPERATION_MIN_SIGNED,
    OPERATION_MAX_SIGNED,
    OPERATION_INCREMENT, /* adds 1; stores 0 instead if the old value is `value` or more */
    OPERATION_DECREMENT, /* subtracts 1; stores `value` instead if the old value is 0 or more than `value` */
    OPERATION_ADD_FLOAT  /* adds floating-point numbers: float if the size is 4 bytes, double if it is 8 */
};

/* Returns the number in the lowest `bytes` bytes of the value. */
uint64_t operation_low_bytes(uint64_t value, unsigned bytes);

/* Returns an atomic operation's new value. The values have this number of bytes. Only a compare-and-swap
 * uses `expected`. */
uint64_t operation_result(enum machine_operation operation, uint64_t old, uint64_t value, uint64_t expected,
                          unsigned bytes);

#endif
