/* Implements the asynchronous copies that a kernel calls (machine/kernel_calls.h). */
#include "machine/code/kernel_code.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/request.h"
#include "machine/engine/copies.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_copy.h"

/* Makes the request of the instruction that issues the copy, and checks what the copy will access. */
static void begin(const struct copy_request *asked, const void *instruction)
{
    bool bulk = asked->kind == COPY_BULK || asked->kind == REDUCE_BULK;
    request(REQUEST_CLOCK, 0, 0, instruction);
    if (bounds_are_checked)
        bounds_check_copy(asked->to, asked->from, asked->bytes, bulk, asked->mbarrier, instruction);
}

static void issue(struct copy_request asked, const void *data, const void *instruction)
{
    begin(&asked, instruction);
    copies_issue(&asked, data, instruction);
}

HOOK_REQUEST void machine_copy_small(void *to, const void *from, unsigned bytes, unsigned bytes_from)
{
    issue((struct copy_request){.kind = COPY_SMALL,
                                .to = (uintptr_t)to,
                                .from = (uintptr_t)from,
                                .bytes = bytes,
                                .bytes_from = bytes_from},
          NULL, HERE);
}

HOOK_REQUEST void machine_copy_bulk(void *to, const void *from, unsigned bytes, void *mbarrier)
{
    issue((struct copy_request){.kind = COPY_BULK,
                                .to = (uintptr_t)to,
                                .from = (uintptr_t)from,
                                .mbarrier = (uintptr_t)mbarrier,
                                .bytes = bytes,
                                .bytes_from = bytes},
          NULL, HERE);
}

HOOK_REQUEST void machine_reduce_bulk(enum machine_operation operation, void *to, const void *from,
                                      unsigned bytes, unsigned element, void *mbarrier)
{
    issue((struct copy_request){.kind = REDUCE_BULK,
                                .to = (uintptr_t)to,
                                .from = (uintptr_t)from,
                                .mbarrier = (uintptr_t)mbarrier,
                                .bytes = bytes,
                                .bytes_from = bytes,
                                .operation = operation,
                                .element = element},
          NULL, HERE);
}

HOOK_REQUEST void machine_store_async(void *to, const void *value, unsigned bytes, void *mbarrier)
{
    issue(
        (struct copy_request){
            .kind = STORE_ASYNC, .to = (uintptr_t)to, .mbarrier = (uintptr_t)mbarrier, .bytes = bytes},
        value, HERE);
}

HOOK_REQUEST void machine_copies_arrive(void *mbarrier, int noinc)
{
    /* without .noinc, the phase needs one arrival more: its count of arrivals goes down by one */
    if (!noinc)
        machine_mbarrier_change(mbarrier, 0, (uint32_t)-1, 0, SCOPE_BLOCK, ORDER_RELAXED);
    struct copy_request arrival = {.kind = ARRIVAL, .mbarrier = (uintptr_t)mbarrier};
    begin(&arrival, HERE);
    copies_issue_arrival((uintptr_t)mbarrier, HERE);
}

/* ---- groups ---- */

HOOK_REQUEST void machine_copies_commit(int bulk)
{
    request(REQUEST_CLOCK, 0, 0, HERE);
    copies_commit(bulk);
}

HOOK_REQUEST void machine_copies_wait(int bulk, unsigned left, int reads)
{
    unsigned groups = copies_groups_before(bulk, left);
    do
        request(REQUEST_CLOCK, 0, 0, HERE);
    while (!copies_done(bulk, groups, reads));
    copies_learn(bulk, groups, reads);
}

/* ---- mbarrier initialization and fences that order asynchronous copies ---- */

HOOK_NOTE void machine_mbarrier_begins(const void *mbarrier)
{
    if (the_machine.memory.is_weak)
        weak_mbarrier_begins((uintptr_t)mbarrier, HERE);
}

HOOK_REQUEST void machine_proxy_fence(unsigned which)
{
    request(REQUEST_CLOCK, 0, 0, HERE);
    if (the_machine.memory.is_weak)
        model_proxy_fence(running_thread(), which);
}

HOOK_NOTE void machine_await_kernel_before(void)
{
    if (the_machine.memory.is_weak)
        model_before_known(running_thread());
}
