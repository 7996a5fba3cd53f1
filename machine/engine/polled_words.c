#include "machine/engine/polled_words.h"
#include "base/map.h"
#include "machine/memory/shared_memory.h"

#define STORES 16            /* number of the last stores to a word that are kept */
#define MOST_WORDS (1 << 20) /* largest number of watched words; further words are not watched */

struct polled {
    uintptr_t word;
    unsigned next; /* index in `stores` of the entry for the next store */
    struct polled_store stores[STORES];
};
static struct map words = MAP(struct polled, word);

uintptr_t polled_word(const struct warp *warp, uintptr_t address)
{
    return shared_memory_has(address) ? shared_memory_word(warp->block, address) : address;
}

void polled_words_watch(uintptr_t word)
{
    if (words.count < MOST_WORDS)
        map_get(&words, &word);
}

bool polled_words_has(uintptr_t word)
{
    return map_find(&words, &word);
}

void polled_words_store(uintptr_t word, const struct polled_store *store)
{
    struct polled *polled = map_get(&words, &word);
    struct polled_store *into = &polled->stores[polled->next++ % STORES];
    bag_disown(into->bag);
    *into = *store;
}

const struct polled_store *polled_words_last(uintptr_t word, const struct warp *reader, uint64_t from,
                                             uint64_t to)
{
    const struct polled_store *last = NULL;
    const struct polled *polled = map_find(&words, &word);
    for (unsigned i = 0; polled && i < STORES; i++) {
        const struct polled_store *store = &polled->stores[i];
        if (store->bag && store->warp != reader && store->effect_at > from && store->effect_at <= to &&
            (!last || store->effect_at > last->effect_at))
            last = store;
    }
    return last;
}

void polled_words_forget(void)
{
    const struct polled *polled = words.items;
    for (size_t i = 0; i < words.count; i++)
        for (unsigned s = 0; s < STORES; s++)
            bag_disown(polled[i].stores[s].bag);
    map_end(&words);
}
