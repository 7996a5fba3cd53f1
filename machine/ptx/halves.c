/* Atomic operations on f16 and bf16 (PTX ISA, atom, red and cp.reduce.async.bulk): on one number in 16 bits,
 * or on two of them in 32 bits. They do not flush subnormal numbers (.noftz). */
#include "machine/ptx/access.h"
#include "machine/ptx/arithmetic.h"

#include <string.h>

enum { ADDS, TAKES_LESS, TAKES_GREATER };

static float value_of(uint32_t bits, bool is_brain)
{
    return is_brain ? ptx_float(bits << 16) : ptx_half(bits);
}

static uint32_t bits_of(float x, bool is_brain)
{
    return is_brain ? ptx_brain_of(x) : ptx_half_of(x);
}

/* A number is taken in place of a NaN, and -0 is less than 0. */
static uint32_t one_result(uint32_t a, uint32_t b, unsigned operation, bool is_brain)
{
    float x = value_of(a, is_brain), y = value_of(b, is_brain);
    if (operation == ADDS)
        return bits_of(x + y, is_brain);
    if (x != x || y != y)
        return x == x ? a : y == y ? b : 0x7fff;
    if (x == y)
        return operation == TAKES_LESS ? a | b : a & b;
    return (x < y) == (operation == TAKES_LESS) ? a : b;
}

static uint64_t result(uint64_t old, uint64_t value, unsigned operation, bool is_brain)
{
    uint32_t low = one_result(old & UINT16_MAX, value & UINT16_MAX, operation, is_brain);
    return low | one_result(old >> 16 & UINT16_MAX, value >> 16 & UINT16_MAX, operation, is_brain) << 16;
}

#define COMBINE(name, operation, is_brain)                                                                   \
    static uint64_t name(uint64_t old, uint64_t value)                                                       \
    {                                                                                                        \
        return result(old, value, operation, is_brain);                                                      \
    }
COMBINE(add_f16, ADDS, false)
COMBINE(min_f16, TAKES_LESS, false)
COMBINE(max_f16, TAKES_GREATER, false)
COMBINE(add_bf16, ADDS, true)
COMBINE(min_bf16, TAKES_LESS, true)
COMBINE(max_bf16, TAKES_GREATER, true)

ptx_combine *ptx_combine_of(const struct ptx_decoder *decoder, const char *type)
{
    static ptx_combine *const known[2][3] = {{add_f16, min_f16, max_f16}, {add_bf16, min_bf16, max_bf16}};
    static const char *const operations[] = {"add", "min", "max"};
    bool is_brain = strncmp(type, "bf16", 4) == 0;
    if (!is_brain && strncmp(type, "f16", 3) != 0)
        return NULL;
    for (unsigned o = 0; o < 3; o++)
        if (ptx_has(decoder, operations[o]))
            return known[is_brain][o];
    ptx_unsupported(decoder, "its operation is not known");
}
