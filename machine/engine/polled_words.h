/* Keeps the last stores to the words that kernels poll. The critical path needs to know which warp's store
 * ended a polling loop. */
#ifndef MACHINE_POLLED_WORDS_H
#define MACHINE_POLLED_WORDS_H

#include "machine/engine/bags.h"
#include "machine/state.h"

/* A store or an atomic that changed a polled word. */
struct polled_store {
    const struct warp *warp; /* the warp that stored; it may have ended, so the pointer is only compared */
    const void *instruction;
    uint64_t made_at, effect_at;
    struct bag *bag; /* the storing warp's critical path up to made_at */
};

/* Returns a number that identifies the word at the address, as this warp sees it: equal addresses in shared
 * memory are different words for different blocks. */
uintptr_t polled_word(const struct warp *warp, uintptr_t address);

/* Notes stores to this word from now on. */
void polled_words_watch(uintptr_t word);
bool polled_words_has(uintptr_t word);

/* Notes a store. The caller's ownership of the store's bag passes to this function. */
void polled_words_store(uintptr_t word, const struct polled_store *store);

/* Returns the last store of another warp to the word that took effect after `from`, and not after `to`.
 * NULL means that none is known. */
const struct polled_store *polled_words_last(uintptr_t word, const struct warp *reader, uint64_t from,
                                             uint64_t to);

/* Forgets all words. */
void polled_words_forget(void);

#endif
