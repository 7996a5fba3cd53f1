/* Tests the plan of a bitonic sort with few barriers, a list of passes over the keys. If the host executes
 * the passes one after the other, the keys are sorted; warps move whole sectors of memory; and the lanes of a
 * warp access different banks of shared memory. */
#include "bitonic/passes.h"
#include "base/memory.h"
#include "tests/check.h"

#include <stdlib.h>

#define HELD (1u << LOG_HELD)
#define SHARED (2u << MOST_TILE_BITS)
#define WARP 32

static struct sort_plan plan;

static unsigned threads(void)
{
    return 1u << (plan.tile_bits - LOG_HELD);
}

static struct sort_base base_of(int s, unsigned tile)
{
    struct sort_base a = plan.low[s][tile % (1 << TILE_TABLE)], b = plan.high[s][tile >> TILE_TABLE];
    return (struct sort_base){a.load + b.load, a.store + b.store, a.flip | b.flip};
}

static int by_size(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static int by_size_downward(const void *a, const void *b)
{
    return by_size(b, a);
}

/* ---- executing the plan on the host, step by step as the kernel does ---- */

static unsigned sum_over_bits(unsigned number, const unsigned *of_bit)
{
    unsigned sum = 0;
    for (; number; number >>= 1, of_bit++)
        sum += number & 1 ? *of_bit : 0;
    return sum;
}

static void run_of_tile(unsigned tile, unsigned *from, unsigned *to)
{
    unsigned *run = from + ((size_t)tile << plan.tile_bits), store = base_of(0, tile).store;
    bool descends = tile & 1;
    qsort(run, 1u << plan.tile_bits, sizeof *run, descends ? by_size_downward : by_size);
    for (unsigned t = 0; t < threads(); t++)
        for (unsigned i = 0; i < HELD; i++) {
            unsigned key = run[sum_over_bits(t, plan.runs.index) + i];
            to[store + plan.thread[0][t].store + sum_over_bits(i, plan.runs.store)] = descends ? ~key : key;
        }
}

static void steps_of_phase(int s, int phase, unsigned flip, unsigned *v)
{
    int low = PHASE_LOW(plan.tile_bits, phase);
    int top = phase ? PHASE_LOW(plan.tile_bits, phase - 1) : plan.tile_bits;
    for (int local = top - 1; local >= low; local--) {
        unsigned bit = 1u << (local - low);
        for (unsigned i = 0; i < HELD && local == plan.pass[s].change; i++)
            v[i] ^= i & bit ? ~flip : flip;
        if (plan.pass[s].idle && local >= IDLE_FIRST && local < IDLE_FIRST + IDLE_BITS)
            continue;
        for (unsigned i = 0; i < HELD; i++)
            if (!(i & bit) && v[i] > v[i | bit]) {
                unsigned larger = v[i];
                v[i] = v[i | bit];
                v[i | bit] = larger;
            }
    }
}

static void phase_of_tile(int s, unsigned tile, int phase, const unsigned *from, unsigned *to,
                          unsigned *shared)
{
    static unsigned before[SHARED];
    struct sort_base base = base_of(s, tile);
    int low = PHASE_LOW(plan.tile_bits, phase);
    for (unsigned i = 0; i < SHARED; i++)
        before[i] = shared[i];
    for (unsigned t = 0; t < threads(); t++) {
        const struct sort_thread *mine = &plan.thread[s][t];
        unsigned v[HELD], own = mine->place[phase];
        for (unsigned i = 0; i < HELD; i++)
            v[i] =
                phase ? before[own + sort_place(i << low)] : from[base.load + mine->load + (i << LOG_LINE)];
        steps_of_phase(s, phase, base.flip, v);
        for (unsigned i = 0; i < HELD; i++)
            if (phase < PHASES - 1)
                shared[own + sort_place(i << low)] = v[i];
            else
                to[base.store + mine->store + (s < plan.passes ? i << (LOG_LINE + LOG_HELD) : i)] = v[i];
    }
}

/* Returns whether the plan sorts the keys of `a`. `a` and `b` have 2^log_n keys each. */
static bool sorts(unsigned *a, unsigned *b, unsigned *sorted)
{
    static unsigned shared[SHARED];
    unsigned keys = 1u << plan.log_n, tiles = 1u << (plan.log_n - plan.tile_bits), number = 777;
    for (unsigned i = 0; i < keys; i++)
        a[i] = sorted[i] = (number = number * 1664525 + 1013904223) >> 3;
    qsort(sorted, keys, sizeof *sorted, by_size);
    for (int s = 0; s <= plan.passes; s++) {
        for (unsigned i = 0; i < keys; i++)
            b[i] = 0xbad;
        for (unsigned tile = 0; tile < tiles; tile++)
            if (s == 0)
                run_of_tile(tile, a, b);
            else
                for (int phase = 0; phase < PHASES; phase++)
                    phase_of_tile(s, tile, phase, a, b, shared);
        unsigned *stored = b;
        b = a;
        a = stored;
    }
    for (unsigned i = 0; i < keys; i++)
        if (a[i] != sorted[i])
            return false;
    return true;
}

/* ---- how the plan uses memory ---- */

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

static void test_sorts(int log_n, int tile_bits)
{
    size_t bytes = sizeof(unsigned) << log_n;
    unsigned *a = allocate(bytes), *b = allocate(bytes), *sorted = allocate(bytes);
    plan_passes(log_n, tile_bits, &plan);
    check(sorts(a, b, sorted), "%d passes on tiles of 2^%d keys sort 2^%d", plan.passes, tile_bits, log_n);
    free(a);
    free(b);
    free(sorted);
}

static void test_memory(int tile_bits)
{
    bool sectors = true, banks = true;
    for (int log_n = 13; log_n <= 30; log_n++) {
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
    /* log2 of the numbers of keys; 12 is left out, because 2^12 keys are two tiles, for which there is no
     * plan */
    static const int of_small_tiles[] = {11, 13, 14, 15, 16, 17, 20};
    for (size_t i = 0; i < sizeof of_small_tiles / sizeof *of_small_tiles; i++)
        test_sorts(of_small_tiles[i], 11);
    for (int log_n = 12; log_n <= 17; log_n++)
        test_sorts(log_n, 12);
    test_memory(11);
    test_memory(12);
    return checks_done();
}
