#include "machine/engine/polled_words.h"
#include "base/memory.h"
#include "machine/memory/shared_memory.h"

#include <stdlib.h>

#define STORES 16            /* number of the last stores to a word that are kept */
#define MOST_WORDS (1 << 20) /* largest number of watched words; further words are not watched */

struct polled {
    uintptr_t word; /* 0 means that the entry is free */
    unsigned next;  /* index in `stores` of the entry for the next store */
    struct polled_store stores[STORES];
};

static struct polled *words;
static size_t count, room; /* `room` is a power of two, or 0 */

uintptr_t polled_word(const struct warp *warp, uintptr_t address)
{
    return shared_memory_has(address) ? shared_memory_word(warp->block, address) : address;
}

static struct polled *place_of(uintptr_t word)
{
    size_t at = (size_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    while (words[at & (room - 1)].word && words[at & (room - 1)].word != word)
        at++;
    return &words[at & (room - 1)];
}

static void grow(void)
{
    struct polled *old = words;
    size_t old_room = room;
    room = room ? 2 * room : 64;
    words = allocate(room * sizeof *words);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].word)
            *place_of(old[i].word) = old[i];
    free(old);
}

void polled_words_watch(uintptr_t word)
{
    if (count == MOST_WORDS)
        return;
    if (2 * count >= room)
        grow();
    struct polled *place = place_of(word);
    count += !place->word;
    place->word = word;
}

bool polled_words_has(uintptr_t word)
{
    return count && place_of(word)->word;
}

void polled_words_store(uintptr_t word, const struct polled_store *store)
{
    struct polled *place = place_of(word);
    struct polled_store *into = &place->stores[place->next++ % STORES];
    bag_disown(into->bag);
    *into = *store;
}

const struct polled_store *polled_words_last(uintptr_t word, const struct warp *reader, uint64_t from,
                                             uint64_t to)
{
    const struct polled_store *last = NULL;
    struct polled *place = count ? place_of(word) : NULL;
    for (unsigned i = 0; place && place->word && i < STORES; i++) {
        const struct polled_store *store = &place->stores[i];
        if (store->bag && store->warp != reader && store->effect_at > from && store->effect_at <= to &&
            (!last || store->effect_at > last->effect_at))
            last = store;
    }
    return last;
}

void polled_words_forget(void)
{
    for (size_t i = 0; i < room; i++)
        for (unsigned s = 0; s < STORES; s++)
            bag_disown(words[i].stores[s].bag);
    free(words);
    words = NULL;
    count = room = 0;
}
