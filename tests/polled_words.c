/* Tests which store a critical path finds for a loop that polled a word. */
#include "machine/engine/polled_words.h"
#include "machine/memory/shared_memory.h"
#include "tests/check.h"

#define WORD ((uintptr_t)0x10000)
#define SHARED_WORD ((uintptr_t)0x100)
#define KEPT 16 /* number of stores to a word that are kept */

static struct block blocks[2];
static struct warp warps[3];

bool shared_memory_has(uintptr_t address)
{
    return address == SHARED_WORD;
}

uintptr_t shared_memory_word(const struct block *block, uintptr_t address)
{
    return address + ((uintptr_t)(block->index + 1) << 48);
}

static void store(const struct warp *warp, uintptr_t word, uint64_t at)
{
    polled_words_store(word, &(struct polled_store){.warp = warp, .effect_at = at, .bag = bag_new(NULL)});
}

/* Returns the time at which the store took effect that ended this warp's polling loop between the two times;
 * 0 means that there is none. */
static uint64_t found(const struct warp *reader, uintptr_t word, uint64_t from, uint64_t to)
{
    const struct polled_store *last = polled_words_last(word, reader, from, to);
    return last ? last->effect_at : 0;
}

int main(void)
{
    warps[0].block = warps[1].block = &blocks[0];
    warps[2].block = &blocks[1];
    blocks[1].index = 1;
    check(found(&warps[0], WORD, 0, 100) == 0, "of a word that nobody polls no store is known");
    for (uintptr_t i = 0; i < 1000; i++)
        polled_words_watch(WORD + 4 * i);
    check(polled_words_has(WORD) && polled_words_has(WORD + 3996) && !polled_words_has(WORD + 4000),
          "words are watched from their first poll on, and no others");
    check(found(&warps[0], WORD, 0, 100) == 0, "before the first store none is known");
    store(&warps[1], WORD, 10);
    store(&warps[2], WORD, 20);
    store(&warps[0], WORD, 30);
    check(found(&warps[0], WORD, 0, 100) == 20,
          "the last store of another warp is found, not the reader's own");
    check(found(&warps[1], WORD, 0, 100) == 30, "each warp has other warps");
    check(found(&warps[0], WORD, 9, 19) == 10 && found(&warps[0], WORD, 10, 19) == 0 &&
              found(&warps[0], WORD, 10, 20) == 20,
          "a store counts if it took effect after the poll before, and not after the last one");
    check(found(&warps[0], WORD + 4, 0, 100) == 0, "a store to another word does not count");
    store(&warps[1], WORD, 5);
    check(found(&warps[0], WORD, 0, 100) == 20, "the last one is the one that took effect last");
    for (uint64_t i = 0; i < KEPT; i++)
        store(&warps[1], WORD, 200 + i);
    check(found(&warps[0], WORD, 0, 199) == 0 && found(&warps[0], WORD, 0, 200) == 200,
          "the last %d stores are kept", KEPT);
    check(polled_word(&warps[0], SHARED_WORD) == polled_word(&warps[1], SHARED_WORD) &&
              polled_word(&warps[0], SHARED_WORD) != polled_word(&warps[2], SHARED_WORD) &&
              polled_word(&warps[0], WORD) == polled_word(&warps[2], WORD),
          "a word of shared memory is a block's own, a word of global memory is everybody's");
    polled_words_forget();
    check(!polled_words_has(WORD) && found(&warps[0], WORD, 0, 300) == 0, "all words can be forgotten");
    polled_words_forget();
    return checks_done();
}
