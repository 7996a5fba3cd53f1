/* Tests the first-level cache (machine/weak/l1_cache.h): what it keeps, what it loads together with a
 * word, and what it evicts. */
#include "machine/weak/l1_cache.h"
#include "tests/check.h"

enum { WORDS_OF_SECTOR = 8, WAYS = 4, SETS = 2, BYTES = SETS * WAYS * L1_LINE };
static const uintptr_t base = 16 * BYTES;

static uint32_t now; /* the present value of every word of memory */

static uint32_t memory(uintptr_t address)
{
    (void)address;
    return now;
}

/* Reads a memory for l1_load() in which the value of each word is its address. */
static uint32_t memory_of_places(uintptr_t address)
{
    return (uint32_t)address;
}

/* Loads a word through the cache, while every word of memory has the value `value`. */
static uint32_t load(unsigned cache, uintptr_t address, uint32_t value)
{
    now = value;
    return l1_load(cache, address, memory);
}

/* Returns the address of a line that belongs to set 0 of the cache; `number` counts these lines from 0. */
static uintptr_t line(unsigned number)
{
    return base + (uintptr_t)number * SETS * L1_LINE;
}

static void check_sectors(void)
{
    int kept = 0, fetched = 0;
    l1_open(1, BYTES);
    load(0, base + 4 * WORDS_OF_SECTOR, 1);
    for (unsigned w = 0; w < L1_LINE_WORDS; w++) {
        bool is_in_sector = w / WORDS_OF_SECTOR == 1;
        uint32_t value = load(0, base + 4 * w, 100 + w);
        kept += is_in_sector && value == 1;
        fetched += !is_in_sector && value == 100 + w / WORDS_OF_SECTOR * WORDS_OF_SECTOR;
    }
    check(kept == WORDS_OF_SECTOR, "a load brings the eight words of its sector");
    check(fetched == L1_LINE_WORDS - WORDS_OF_SECTOR, "and none of the line's others");
    l1_close();
    int others = 0;
    l1_open(1, BYTES);
    for (uintptr_t at = base; at < base + 4 * BYTES; at += 4)
        others += l1_load(0, at, memory_of_places) != at;
    check(others == 0, "every word is that of its own address");
    l1_close();
}

static void check_replacement(void)
{
    l1_open(1, BYTES);
    for (unsigned i = 0; i < WAYS; i++)
        load(0, line(i), 10 + i);
    check(load(0, line(0), 90) == 10, "a set has as many lines as ways");
    load(0, line(WAYS), 20);
    check(load(0, line(0), 90) == 10, "a line that was used again stays");
    check(load(0, line(2), 90) == 12 && load(0, line(3), 90) == 13, "so do those behind it");
    check(load(0, line(1), 90) == 90, "the one that was not used for longest goes");
    check(load(0, line(0) + L1_LINE, 30) == 30 && load(0, line(2), 91) == 12, "other sets are left alone");
    l1_close();
}

static void check_forgetting(void)
{
    l1_open(2, BYTES);
    load(0, base, 1);
    check(load(1, base, 2) == 2 && load(0, base, 3) == 1, "each multiprocessor has a cache of its own");
    l1_drop(0, base);
    check(load(0, base, 4) == 4 && load(0, base + 4, 5) == 1,
          "a word that is written is fetched again, alone");
    check(load(1, base, 6) == 2, "another multiprocessor's copy stays");
    l1_empty(0);
    check(load(0, base, 7) == 7 && load(0, base + 4, 8) == 7 && load(1, base, 9) == 2,
          "an acquire empties one cache");
    for (unsigned i = 0; i < WAYS; i++)
        load(1, line(i), 10 + i);
    l1_empty(1);
    for (unsigned i = 0; i < WAYS; i++)
        load(1, line(8 + i), 20 + i);
    check(load(1, line(8), 90) == 20 && load(1, line(11), 90) == 23, "an emptied set has all of its ways");
    l1_close();
    l1_open(1, 0);
    check(load(0, base, 1) == 1 && load(0, base, 2) == 2, "no cache keeps nothing");
    l1_drop(0, base);
    l1_empty(0);
    l1_close();
}

static void check_sizes(void)
{
    check(l1_bytes(20, 0) == 16 << 10 && l1_bytes(20, 48 << 10) == 16 << 10, "2.x has 16 KiB apart");
    check(l1_bytes(13, 0) == 0 && l1_bytes(35, 0) == 0 && l1_bytes(52, 0) == 0, "1.x, 3.x and 5.x have none");
    check(l1_bytes(61, 90 << 10) == 24 << 10, "6.x has 24 KiB apart");
    check(l1_bytes(70, 0) == 128 << 10 && l1_bytes(75, 32 << 10) == 64 << 10 &&
              l1_bytes(80, 0) == 192 << 10 && l1_bytes(86, 0) == 128 << 10 && l1_bytes(87, 0) == 192 << 10 &&
              l1_bytes(89, 0) == 128 << 10 && l1_bytes(90, 200 << 10) == 56 << 10 &&
              l1_bytes(100, 0) == 256 << 10 && l1_bytes(120, 0) == 256 << 10,
          "from 7.0 on it is what shared memory leaves");
    check(l1_bytes(90, 256 << 10) == 0 && l1_bytes(90, 300 << 10) == 0, "which may be nothing");
}

int main(void)
{
    check_sectors();
    check_replacement();
    check_forgetting();
    check_sizes();
    return checks_done();
}
