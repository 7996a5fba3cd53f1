/*
 * Asynchronous copies on weak memory: each is a thread of its own (machine/weak/memory_model.h), which accesses memory
 * while no lane runs. On a coherent machine these functions only copy.
 */
#ifndef MACHINE_WEAK_COPY_H
#define MACHINE_WEAK_COPY_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

struct weak_copy {
    struct block *block;         /* of the thread that issued it */
    struct model_thread *thread; /* NULL on a coherent machine */
    const void *instruction;     /* that issued it */
};

/* Of the running lane; its mbarrier is of the block `tells` (machine/weak/memory_model.h). */
struct weak_copy weak_copy_begin(const struct block *tells, unsigned place, bool is_async,
                                 const void *instruction);

/* Between memory and bytes of the machine's own. */
void weak_copy_reads(const struct weak_copy *copy, void *to, uintptr_t from, size_t bytes);
void weak_copy_writes(const struct weak_copy *copy, uintptr_t to, const void *from, size_t bytes);

/* Replaces the value of 4 or 8 bytes by what `change` makes of it, in one step. */
void weak_copy_changes(const struct weak_copy *copy, uintptr_t address, unsigned bytes,
                       struct strength strength, uint64_t (*change)(uint64_t old, const void *data),
                       const void *data);

/* The running lane has initialized an mbarrier. Copies that tell it afterwards must know that by a proxy fence, whatever
 * others have done with it since. */
void weak_mbarrier_begins(uintptr_t address, const void *instruction);
void weak_copy_tells(const struct weak_copy *copy, uintptr_t mbarrier);

/* A stamp of what it has done so far; and a thread or another copy has waited for it. */
uint32_t weak_copy_so_far(const struct weak_copy *copy);
void weak_copy_known(struct model_thread *thread, const struct weak_copy *copy, uint32_t so_far);

#endif
