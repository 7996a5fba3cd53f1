#include "machine/weak/l1_cache.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 4
#define SECTOR_WORDS 8 /* number of words in a sector; the words of a sector are fetched from L2 together */

struct line {
    uintptr_t tag; /* address / L1_LINE, or 0 if the line is empty */
    uint64_t used;
    /* the cache's entry in `generations` when the line was filled; the line is empty if they differ */
    uint64_t filled;
    uint32_t present; /* the words of the line that are present, a bit each */
    /* the index of the line's words in `values`, plus one; 0 means the line has no words yet */
    uint32_t values;
};

static struct line *lines; /* the lines of all caches */
/* the words of all lines that were ever filled, which are few */
static uint32_t (*values)[L1_LINE_WORDS];
static size_t values_count;
static uint64_t *generations; /* each cache's generation, which is increased to empty the cache */
static unsigned sets, caches;
static uint64_t clock_;

void l1_open(unsigned multiprocessors, unsigned bytes)
{
    l1_close();
    caches = multiprocessors;
    sets = bytes / (WAYS * L1_LINE);
    lines = sets ? allocate((size_t)caches * sets * WAYS * sizeof *lines) : NULL;
    generations = allocate(caches * sizeof *generations);
}

void l1_close(void)
{
    free(lines);
    free(values);
    free(generations);
    lines = NULL;
    values = NULL;
    values_count = 0;
    generations = NULL;
    sets = 0;
}

/*
 * The sizes are from the CUDA C++ Programming Guide, "Compute Capabilities". 2.x caches global memory in L1:
 * 16 of 64 KiB by default, because 48 KiB are shared memory. 3.x and 5.x cache global memory in L2 only by
 * default. From 6.0 on one memory is both L1 and shared memory, except in 6.x, which has a separate L1 of 24
 * or 48 KiB.
 */
unsigned l1_bytes(int compute_capability, unsigned shared_bytes)
{
    static const struct {
        int from, bytes;
        bool with_shared;
    } sizes[] = {{100, 256 << 10, true}, {90, 256 << 10, true}, {89, 128 << 10, true}, {87, 192 << 10, true},
                 {86, 128 << 10, true},  {80, 192 << 10, true}, {75, 96 << 10, true},  {70, 128 << 10, true},
                 {60, 24 << 10, false},  {30, 0, false},        {20, 16 << 10, false}, {0, 0, false}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (compute_capability >= sizes[i].from) {
            unsigned bytes = (unsigned)sizes[i].bytes;
            return !sizes[i].with_shared ? bytes : bytes > shared_bytes ? bytes - shared_bytes : 0;
        }
    return 0;
}

/* Returns the cache line that holds the address, or else the line of its set that is to be replaced. */
static struct line *line_of(unsigned cache, uintptr_t address)
{
    uintptr_t tag = address / L1_LINE;
    struct line *set = &lines[((size_t)cache * sets + tag % sets) * WAYS], *oldest = set;
    for (struct line *line = set; line < set + WAYS; line++) {
        if (line->tag == tag && line->filled == generations[cache])
            return line;
        if (line->filled != generations[cache])
            line->used = 0;
        if (line->used < oldest->used)
            oldest = line;
    }
    return oldest;
}

static bool has(const struct line *line, unsigned cache, uintptr_t address)
{
    return line->tag == address / L1_LINE && line->filled == generations[cache];
}

/* Returns the index of the line's words in `values`, plus one. Appends words for a line that has none yet. */
static uint32_t values_of(const struct line *line)
{
    if (line->values)
        return line->values;
    values = with_room(values, sizeof *values, values_count, 1);
    return (uint32_t)++values_count;
}

uint32_t l1_load(unsigned cache, uintptr_t address, uint32_t (*fill)(uintptr_t address))
{
    if (!sets)
        return fill(address);
    struct line *line = line_of(cache, address);
    unsigned word = (unsigned)(address % L1_LINE / 4);
    if (!has(line, cache, address))
        *line =
            (struct line){.tag = address / L1_LINE, .filled = generations[cache], .values = values_of(line)};
    line->used = ++clock_;
    unsigned first = word / SECTOR_WORDS * SECTOR_WORDS;
    uintptr_t start = address / L1_LINE * L1_LINE;
    if (!(line->present >> word & 1))
        for (unsigned w = first; w < first + SECTOR_WORDS; w++)
            if (!(line->present >> w & 1)) {
                values[line->values - 1][w] = fill(start + 4 * w);
                line->present |= UINT32_C(1) << w;
            }
    return values[line->values - 1][word];
}

void l1_drop(unsigned cache, uintptr_t address)
{
    struct line *line = sets ? line_of(cache, address) : NULL;
    if (line && has(line, cache, address))
        line->present &= ~(UINT32_C(1) << address % L1_LINE / 4);
}

void l1_empty(unsigned cache)
{
    generations[cache]++;
}
