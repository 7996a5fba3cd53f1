/* Tests which lines the model of an L1 cache holds. */
#include "machine/memory/cache_tags.h"
#include "tests/check.h"

#define WAYS 4
#define LINE 128
#define SETS 2 /* number of sets; with two, lines with even numbers are in one set */

/* Brings the lines first, first + SETS, ... of one set into the cache of multiprocessor 0. Returns how many
 * of them the cache held already. */
static unsigned find(unsigned acquires, uint64_t first, unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        found += cache_tags_find(0, acquires, first + SETS * i);
    return found;
}

int main(void)
{
    cache_tags_open(2, SETS * WAYS * LINE, LINE);
    check(find(0, 0, WAYS) == 0, "a cache is empty at first");
    check(find(0, 0, WAYS) == WAYS, "it holds as many lines of a set as the set has places");
    check(find(0, 1, WAYS) == 0 && find(0, 0, WAYS) == WAYS, "lines of another set replace none of them");
    check(find(0, 2 * WAYS, 2) == 0, "two more lines of the set are new");
    check(find(0, 2 * WAYS, 2) == 2, "both are held");
    check(find(0, 4, WAYS - 2) == WAYS - 2, "they replaced the two lines that had come first, and no others");
    check(find(0, 0, 1) == 0 && find(0, 4, 1) == 0, "the next line replaces the third");
    check(!cache_tags_find(1, 0, 2 * WAYS), "each multiprocessor has a cache of its own");
    check(find(0, 1, 1) == 1 && find(1, 1, 1) == 0, "an acquire empties it");
    cache_tags_open(2, SETS * WAYS * LINE, LINE);
    check(find(1, 1, 1) == 0, "a launch empties it");
    cache_tags_open(2, 0, LINE);
    check(find(0, 0, 1) == 0 && find(0, 0, 1) == 0, "a cache without bytes holds nothing");
    return checks_done();
}
