/* Compares the machine's models of caches, and its table of polled words, with slow ones on operations that
 * are drawn at random: the slow ones keep all that happened in the order in which it happened. */
#include "base/random.h"
#include "machine/engine/polled_words.h"
#include "machine/memory/cache_tags.h"
#include "machine/memory/l2_halves.h"
#include "machine/memory/shared_memory.h"
#include "machine/weak/l1_cache.h"
#include "tests/check.h"

#include <string.h>

enum { OPERATIONS = 20000, CACHES = 2, WAYS = 4, SETS = 2, BYTES = SETS * WAYS * L1_LINE, LINES = 14 };

static struct random draws = {1};

static unsigned any(unsigned count)
{
    return (unsigned)(random_next(&draws) % count);
}

/* ---- tags of an L1 cache: a set holds the lines that were brought in last ---- */

static void check_tags(void)
{
    static struct {
        unsigned cache, line;
    } brought[OPERATIONS];
    unsigned count = 0, wrong = 0, acquires[CACHES] = {0}, first[CACHES] = {0};
    cache_tags_open(CACHES, BYTES, L1_LINE);
    for (unsigned n = 0; n < OPERATIONS; n++) {
        const unsigned cache = any(CACHES), line = any(LINES), event = any(200);
        if (event == 0)
            cache_tags_open(CACHES, BYTES, L1_LINE);
        for (unsigned c = 0; c < CACHES; c++)
            if (event == 0 || (event == 1 && c == cache)) {
                acquires[c] = event ? acquires[c] + 1 : 0;
                first[c] = count;
            }
        bool is_held = false;
        for (unsigned i = count, ways = 0; i-- > first[cache] && ways < WAYS;)
            if (brought[i].cache == cache && brought[i].line % SETS == line % SETS) {
                is_held = is_held || brought[i].line == line;
                ways++;
            }
        wrong += cache_tags_find(cache, acquires[cache], line) != is_held;
        brought[count].cache = cache;
        brought[count].line = line;
        count += !is_held;
    }
    check(wrong == 0, "a set has the lines that came last since an acquire or a launch (%u differ)", wrong);
    cache_tags_open(CACHES, 0, L1_LINE);
    check(!cache_tags_find(0, 0, 1) && !cache_tags_find(0, 0, 1), "a cache without bytes holds nothing");
}

/* ---- values in an L1 cache: a set holds the lines that were used last, and their sectors ---- */

static const uintptr_t base = 16 * BYTES;
static uint32_t version; /* is in the value of each word, and changes after each operation */

static uint32_t memory(uintptr_t address)
{
    return version * 0x10000 + (uint32_t)(address - base);
}

struct slow_line {
    unsigned
        used; /* the operation that used the line last, plus one; 0 if the cache does not have the line */
    bool present[L1_LINE_WORDS];
    uint32_t value[L1_LINE_WORDS];
};

/* Loads a word as l1_load() does. */
static uint32_t load(struct slow_line lines[LINES], unsigned line, unsigned word)
{
    unsigned held = 0, oldest = line;
    for (unsigned l = line % SETS; l < LINES; l += SETS) {
        held += lines[l].used > 0;
        oldest = lines[l].used && (!lines[oldest].used || lines[l].used < lines[oldest].used) ? l : oldest;
    }
    if (!lines[line].used && held == WAYS)
        lines[oldest] = (struct slow_line){0};
    lines[line].used = version + 1;
    for (unsigned w = word / 8 * 8, end = lines[line].present[word] ? w : w + 8; w < end; w++)
        if (!lines[line].present[w]) {
            lines[line].value[w] = memory(base + line * L1_LINE + 4 * w);
            lines[line].present[w] = true;
        }
    return lines[line].value[word];
}

static void check_values(void)
{
    static struct slow_line slow[CACHES][LINES];
    unsigned wrong = 0;
    l1_open(CACHES, BYTES);
    for (version = 0; version < OPERATIONS; version++) {
        const unsigned cache = any(CACHES), line = any(LINES), word = any(L1_LINE_WORDS), event = any(100);
        const uintptr_t address = base + line * L1_LINE + 4 * word;
        if (event == 0) {
            l1_empty(cache);
            memset(slow[cache], 0, sizeof slow[cache]);
        } else if (event < 20) {
            l1_drop(cache, address);
            slow[cache][line].present[word] = false;
        } else {
            wrong += l1_load(cache, address, memory) != load(slow[cache], line, word);
        }
    }
    check(wrong == 0, "a load gets what its sector had when the cache took it (%u differ)", wrong);
    l1_close();
    l1_open(1, 0);
    check(l1_load(0, base, memory) == memory(base) && (version++, l1_load(0, base, memory)) == memory(base),
          "no cache keeps nothing");
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

/* ---- halves of an L2 cache: a written line is in the halves that have accessed it since ---- */

static void check_halves(void)
{
    static bool has[OPERATIONS][2];
    unsigned wrong = 0, lines = 100;
    memset(has, true, sizeof has);
    for (unsigned n = 0; n < OPERATIONS; n++) {
        const unsigned line = any(lines), half = any(2), event = any(1000);
        if (event == 0) {
            l2_halves_forget();
            memset(has, true, sizeof has);
            lines = lines == 100 ? 5000 : 100;
        } else if (event < 200) {
            event < 50 ? l2_halves_atomic(line) : l2_halves_store(line, half);
            has[line][half] = event >= 50;
            has[line][!half] = false;
        } else {
            wrong += l2_halves_load(line, half) == has[line][half];
            has[line][half] = true;
        }
    }
    check(wrong == 0, "a written line is in the halves that have accessed it since (%u differ)", wrong);
}

/* ---- tags of an L2 cache: a line has one place, which every line has until another is brought in ---- */

static void check_l2_tags(void)
{
    enum { PLACES = 5, NOTHING = LINES };
    unsigned last[PLACES] = {0}, wrong = 0;
    l2_tags_open(PLACES);
    for (unsigned n = 0; n < OPERATIONS; n++) {
        const unsigned line = any(LINES), event = n ? any(50) : 0, place = line % PLACES;
        if (event == 0)
            l2_tags_forget();
        for (unsigned i = 0; event == 0 && i < PLACES; i++)
            last[i] = NOTHING;
        wrong += l2_tags_find(line) != (last[place] == NOTHING || last[place] == line);
        last[place] = line;
    }
    check(wrong == 0, "L2 has the line that came last to a place, or any line at first (%u differ)", wrong);
    l2_tags_open(0);
    check(l2_tags_find(0) && l2_tags_find(PLACES), "L2 without a size has all lines");
}

/* ---- the last stores to words that are polled ---- */

#define SHARED_WORD ((uintptr_t)0x100)
enum { KEPT = 16, WORDS = 4, WARPS = 3, STORES = 2000 };

static struct block blocks[2];
static struct warp warps[WARPS];

bool shared_memory_has(uintptr_t address)
{
    return address == SHARED_WORD;
}

uintptr_t shared_memory_word(const struct block *block, uintptr_t address)
{
    return address + ((uintptr_t)(block->index + 1) << 48);
}

static void check_polled_words(void)
{
    static struct {
        unsigned warp;
        uint64_t at;
    } stores[WORDS][STORES];
    unsigned counts[WORDS] = {0}, wrong = 0;
    for (unsigned n = 0; n < STORES; n++) {
        const unsigned w = any(WORDS), reader = any(WARPS), from = n < 30 ? any(n + 1) : n - any(30);
        const uintptr_t word = 0x10000 + 4 * w;
        const unsigned to = from + any(30);
        uint64_t expected = 0;
        for (unsigned i = counts[w]; i-- > 0 && i + KEPT >= counts[w];)
            if (stores[w][i].warp != reader && stores[w][i].at > from && stores[w][i].at <= to &&
                stores[w][i].at > expected)
                expected = stores[w][i].at;
        const struct polled_store *last = polled_words_last(word, &warps[reader], from, to);
        wrong += (last ? last->effect_at : 0) != expected || polled_words_has(word) != (counts[w] > 0);
        stores[w][counts[w]].warp = any(WARPS);
        stores[w][counts[w]].at = n + any(20);
        polled_words_watch(word);
        polled_words_store(word, &(struct polled_store){.warp = &warps[stores[w][counts[w]].warp],
                                                        .effect_at = stores[w][counts[w]].at,
                                                        .bag = bag_new(NULL)});
        counts[w]++;
    }
    check(wrong == 0,
          "the store of another warp is found that took effect last between two polls (%u differ)", wrong);
    warps[0].block = warps[1].block = &blocks[0];
    warps[2].block = &blocks[1];
    blocks[1].index = 1;
    check(polled_word(&warps[0], SHARED_WORD) == polled_word(&warps[1], SHARED_WORD) &&
              polled_word(&warps[0], SHARED_WORD) != polled_word(&warps[2], SHARED_WORD) &&
              polled_word(&warps[0], base) == polled_word(&warps[2], base),
          "a word of shared memory is a block's own, a word of global memory is everybody's");
    polled_words_forget();
    check(!polled_words_has(0x10000) && !polled_words_last(0x10000, &warps[0], 0, 2 * STORES),
          "all words can be forgotten");
    polled_words_forget();
}

int main(void)
{
    check_tags();
    check_values();
    check_sizes();
    check_halves();
    check_l2_tags();
    check_polled_words();
    return checks_done();
}
