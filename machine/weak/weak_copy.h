/* Copies on weak memory: asynchronous copies of threads, and copies of streams (weak_launches.h). Each
 * asynchronous copy is a thread of its own in the memory model (machine/weak/memory_model.h) and accesses
 * memory while no lane runs. On a coherent machine these functions only copy the bytes. */
#ifndef MACHINE_WEAK_COPY_H
#define MACHINE_WEAK_COPY_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

struct weak_copy {
    struct block *block;         /* the block of the thread that issued the copy */
    struct model_thread *thread; /* the copy as a thread of the memory model, or NULL on a coherent machine */
    const void *instruction;     /* the instruction that issued the copy */
    uint32_t calls;              /* the calls that led to it (machine/code/calls.h) */
};

/* Begins an asynchronous copy that the running lane issues. `tells` is the block that has the copy's
 * mbarrier; `place` and `is_async` are as in model_copy_begin(). */
struct weak_copy weak_copy_begin(const struct block *tells, unsigned place, bool is_async,
                                 const void *instruction);

/* weak_copy_reads() copies from the program's memory to the machine's own bytes; weak_copy_writes() copies
 * back. */
void weak_copy_reads(const struct weak_copy *copy, void *to, uintptr_t from, size_t bytes);
void weak_copy_writes(const struct weak_copy *copy, uintptr_t to, const void *from, size_t bytes);

/* Replaces the value of 4 or 8 bytes by the result of `change`, as one atomic operation. */
void weak_copy_changes(const struct weak_copy *copy, uintptr_t address, unsigned bytes,
                       struct strength strength, uint64_t (*change)(uint64_t old, const void *data),
                       const void *data);

/* weak_mbarrier_begins() notes that the running lane has initialized an mbarrier. A copy that completes it
 * later must know this initialization through a proxy fence, even if other threads have used the mbarrier
 * since; weak_copy_tells() checks this. */
void weak_mbarrier_begins(uintptr_t address, const void *instruction);
void weak_copy_tells(const struct weak_copy *copy, uintptr_t mbarrier);

/* weak_copy_so_far() returns a stamp of what the copy has done so far. weak_copy_known() notes that a
 * thread or another copy has waited for everything up to such a stamp. */
uint32_t weak_copy_so_far(const struct weak_copy *copy);
void weak_copy_known(struct model_thread *thread, const struct weak_copy *copy, uint32_t so_far);

#endif
