/*
 * Device functions that are one instruction on a GPU and many on a CPU. They are here, and not in
 * cuda_machine.h, so that they are not counted as many instructions (instructions.h).
 */
#include "machine/kernel_calls.h"
#include "machine/code/kernel_code.h"

/* Returns c plus the sum of the products of the four bytes of a with the four bytes of b. */
HOOK_VALUE uint32_t machine_dp4a(uint32_t a, uint32_t b, uint32_t c)
{
    for (int byte = 0; byte < 32; byte += 8)
        c += (a >> byte & 255) * (b >> byte & 255);
    return c;
}

/* Returns c plus the sum of the products of the two signed 16-bit halves of a with the two lower signed
 * bytes of b. */
HOOK_VALUE uint32_t machine_dp2a(uint32_t a, uint32_t b, uint32_t c)
{
    for (int i = 0; i < 2; i++)
        c += (uint32_t)((int16_t)(a >> 16 * i & 0xffff) * (int8_t)(b >> 8 * i & 255));
    return c;
}

/* Returns four of the eight bytes of low and high. Each of the selector's four lowest hexadecimal digits
 * chooses one of them. */
HOOK_VALUE uint32_t machine_byte_perm(uint32_t low, uint32_t high, uint32_t selector)
{
    uint64_t bytes = (uint64_t)high << 32 | low;
    uint32_t chosen = 0;
    for (int byte = 0; byte < 4; byte++)
        chosen |= (uint32_t)(bytes >> 8 * (selector >> 4 * byte & 7) & 255) << 8 * byte;
    return chosen;
}

/* ---- pairs of signed 16-bit numbers ---- */

static int low_of(uint32_t pair)
{
    return (int16_t)(pair & 0xffff);
}

static int high_of(uint32_t pair)
{
    return (int16_t)(pair >> 16);
}

static uint32_t pair_of(int low, int high)
{
    return (uint32_t)high << 16 | ((uint32_t)low & 0xffff);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

HOOK_VALUE uint32_t machine_add_pairs(uint32_t a, uint32_t b)
{
    return pair_of(low_of(a) + low_of(b), high_of(a) + high_of(b));
}

HOOK_VALUE uint32_t machine_max_pairs(uint32_t a, uint32_t b, uint32_t c)
{
    return pair_of(larger(larger(low_of(a), low_of(b)), low_of(c)),
                   larger(larger(high_of(a), high_of(b)), high_of(c)));
}

HOOK_VALUE uint32_t machine_add_max_pairs(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return machine_max_pairs(machine_add_pairs(a, b), c, d);
}
