/* Tests how the plan of a bitonic sort with few barriers, a list of passes over the keys, uses memory: warps
 * move whole sectors, and the lanes of a warp access different banks of shared memory. That the passes sort
 * is tested by tests/algorithms/bitonic. */
#include "bitonic/passes.h"
#include "tests/check.h"

#define WARP 32

static struct sort_plan plan;

/* Returns how many different values a warp's 32 lanes have. */
static int different(const unsigned *of_lane)
{
    int count = 0;
    for (int a = 0; a < WARP; a++) {
        int b = 0;
        while (of_lane[b] != of_lane[a])
            b++;
        count += a == b;
    }
    return count;
}

/* Returns whether the 32 keys that a warp loads in step `s` fill 4 sectors of 32 bytes, and the keys that
 * it stores lie in at most `most_of_stores` sectors (with 8 sectors, the stores may fill only half of
 * each). The loads of step 0 are not checked, nor are the stores of the last step, in which each thread
 * stores 16 bytes. */
static bool whole_sectors(int s, int most_of_stores)
{
    unsigned loads[WARP], stores[WARP];
    for (unsigned lane = 0; lane < WARP; lane++) {
        loads[lane] = plan.thread[s][lane].load / 8;
        stores[lane] = plan.thread[s][lane].store / 8;
    }
    return (s == 0 || different(loads) == 4) && (s == plan.passes || different(stores) <= most_of_stores);
}

static bool different_banks(int s)
{
    for (int phase = 0; phase < PHASES; phase++) {
        unsigned banks[WARP];
        for (unsigned lane = 0; lane < WARP; lane++)
            banks[lane] = plan.thread[s][lane].place[phase] % WARP;
        if (different(banks) < WARP)
            return false;
    }
    return true;
}

static void test_memory(int tile_bits)
{
    bool sectors = true, banks = true;
    for (int log_n = tile_bits; log_n <= 30; log_n++) {
        if (log_n == 12 && tile_bits == 11)
            continue; /* 2^12 keys are two small tiles, for which there is no plan */
        plan_passes(log_n, tile_bits, &plan);
        for (int s = 0; s <= plan.passes; s++) {
            sectors &= whole_sectors(s, log_n == 18 || log_n == 20 ? 4 : 8);
            banks &= different_banks(s);
        }
    }
    check(sectors, "warps move whole sectors of tiles of 2^%d keys", tile_bits);
    check(banks, "their lanes find different banks");
}

int main(void)
{
    test_memory(11);
    test_memory(12);
    return checks_done();
}
