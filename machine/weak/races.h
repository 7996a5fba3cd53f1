/*
 * Data races as PTX defines them: two accesses of which one writes and one is weak (or their scopes exclude
 * each other), and nothing orders them. There is one report for each pair of instructions.
 */
#ifndef MACHINE_RACES_H
#define MACHINE_RACES_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

/* An instruction as the other files identify it: its offset in the program. */
uint32_t race_site(const void *instruction);

/* How one thread last learned of another: what it read, and what wrote that value. */
struct observation {
    uint32_t reader, reader_site, writer, writer_site;
};

/* What the second access does; the first has written, or in the last two cases read. */
enum race_kind { RACE_READS, RACE_WRITES, RACE_ATOMIC, RACE_WRITES_READ, RACE_ATOMIC_READ };

struct race {
    struct writer first, second; /* who was first, and whose access nothing orders with that */
    uint32_t first_site, second_site;
    enum race_kind kind;
    bool both_strong, one_strong; /* both: then a scope is too narrow, or */
    bool sizes_differ;
    uintptr_t address;
    size_t bytes;
    bool is_shared;  /* __shared__: the address is its offset */
    bool is_dynamic; /* in the block's dynamic shared memory */
    enum what_if
        cure; /* in which program it would be none; AS_IT_IS: in none of them; PROXIED_GLOBAL: with a proxy fence */
    struct observation last; /* of the second thread's block, or readers equal NO_THREAD */
};

/* Forgets all that were found. */
void races_forget(void);

/* Has a race between these two instructions been reported already? If so, counts it again; `crosses`: now between two
 * blocks. */
bool race_again(uint32_t first_site, uint32_t second_site, enum race_kind kind, bool crosses);

/*
 * Is it one by PTX's words alone? A bulk copy overwrites what threads have read, in an order that all keep, but no proxy
 * fence is between the two: common code leaves it away, and others have put it in (bugs/stage-refilled.cu).
 */
bool race_is_note(const struct race *race);

/* Notes a race that has not occurred before. */
void race_note(const struct race *race, unsigned threads_in_block);

#endif
