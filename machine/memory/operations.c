#include "machine/memory/operations.h"

#include <string.h>

static uint64_t add_floats(uint64_t a, uint64_t b, unsigned bytes)
{
    uint64_t bits = 0;
    if (bytes == 4) {
        float x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        x += y;
        memcpy(&bits, &x, sizeof x);
    } else {
        double x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        x += y;
        memcpy(&bits, &x, sizeof x);
    }
    return bits;
}

static uint64_t result_of(enum machine_operation operation, uint64_t old, uint64_t value, uint64_t expected,
                          unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;
    int64_t signed_old = (int64_t)(old << unused), signed_value = (int64_t)(value << unused);
    switch (operation) {
    case OPERATION_ADD:
        return old + value;
    case OPERATION_EXCHANGE:
        return value;
    case OPERATION_COMPARE_SWAP:
        return old == expected ? value : old;
    case OPERATION_AND:
        return old & value;
    case OPERATION_OR:
        return old | value;
    case OPERATION_XOR:
        return old ^ value;
    case OPERATION_MIN:
        return old < value ? old : value;
    case OPERATION_MAX:
        return old > value ? old : value;
    case OPERATION_MIN_SIGNED:
        return signed_old < signed_value ? old : value;
    case OPERATION_MAX_SIGNED:
        return signed_old > signed_value ? old : value;
    case OPERATION_INCREMENT:
        return old >= value ? 0 : old + 1;
    case OPERATION_DECREMENT:
        return old == 0 || old > value ? value : old - 1;
    case OPERATION_ADD_FLOAT:
        return add_floats(old, value, bytes);
    }
    return old;
}

uint64_t operation_low_bytes(uint64_t value, unsigned bytes)
{
    return bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

uint64_t operation_result(enum machine_operation operation, uint64_t old, uint64_t value, uint64_t expected,
                          unsigned bytes)
{
    return operation_low_bytes(result_of(operation, old, operation_low_bytes(value, bytes),
                                         operation_low_bytes(expected, bytes), bytes),
                               bytes);
}
