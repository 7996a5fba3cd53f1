/* Data races as PTX defines them: two accesses of which one writes and one is weak (or their scopes exclude
 * each other), and nothing orders them. There is one report for each pair of instructions. */
#ifndef MACHINE_RACES_H
#define MACHINE_RACES_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

/* Returns the number by which other files identify an instruction: its offset in the program. */
uint32_t race_site(const void *instruction);

/* How one thread last learned of another: the instruction that read, and the instruction that wrote that
 * value. */
struct observation {
    uint32_t reader, reader_site, writer, writer_site;
};

/* What the second access does; the first has written, or in the last two kinds read. */
enum race_kind { RACE_READS, RACE_WRITES, RACE_ATOMIC, RACE_WRITES_READ, RACE_ATOMIC_READ };

struct race {
    /* who made the first access, and who made the access that nothing orders with it */
    struct writer first, second;
    uint32_t first_site, second_site;
    enum race_kind kind;
    /* how many accesses were strong; if both, a scope is too narrow or the sizes differ */
    bool both_strong, one_strong;
    bool sizes_differ;
    uintptr_t address;
    size_t bytes;
    bool is_shared;  /* true for shared memory, where `address` is an offset */
    bool is_dynamic; /* true for the block's dynamic shared memory */
    /* the world in which it would be no race; AS_IT_IS if there is none; PROXIED_GLOBAL if a proxy fence is
     * missing */
    enum what_if cure;
    /* the last observation of the second thread's block; if none, its reader is NO_THREAD */
    struct observation last;
};

/* Forgets all races that were found. */
void races_forget(void);

/* Returns whether a race between these two instructions has been reported already. If so, counts it again;
 * `crosses` says that now it is between two blocks. */
bool race_again(uint32_t first_site, uint32_t second_site, enum race_kind kind, bool crosses);

/*
 * Returns whether it is a race only by the letter of the PTX ISA. A bulk copy overwrites what threads have
 * read, in an order that all keep, but no proxy fence is between the two: common code leaves it out, and
 * other code has it (bugs/stage-refilled.cu).
 */
bool race_is_note(const struct race *race);

/* Notes a race that has not occurred before. */
void race_note(const struct race *race, unsigned threads_in_block);

#endif
