/* A task: what one call of the host asks of a stream. Nodes of graphs are tasks, too. */
#ifndef MACHINE_TASKS_H
#define MACHINE_TASKS_H

#include "machine/cuda/runtime_calls.h"
#include "machine/weak/weak_launches.h"

enum task_kind {
    TASK_KERNEL,
    TASK_COPY,
    TASK_SETTING,
    TASK_CALL,
    TASK_NOTHING,
    TASK_RECORD,
    TASK_ALLOCATION,
    TASK_FREE
};

/* What an event records. */
struct record {
    uint64_t at;           /* the time of the record, for streams that are not queues */
    struct queued *queued; /* the task that records it (machine/cuda/queues.h), or NULL */
};

struct task {
    enum task_kind kind;
    const void *instruction; /* the host's call, for reports */
    struct machine_launch launch;
    struct machine_copy copy;
    struct machine_setting setting;
    void (*function)(void *);
    void *argument;
    struct record *record;
    /* for TASK_ALLOCATION and TASK_FREE: the array; for a copy: the bytes taken from pageable memory, or NULL
     * if none were taken */
    void *memory;
};

/* Makes a copy of the task, with a closure of its own. Returns false if there is no memory for it. */
bool task_copy(struct task *to, const struct task *from);
void task_end(struct task *task);

/* Takes the source of a copy from the host's pageable memory now, so that the host may change it. */
bool task_stage(struct task *task);

/* Makes a copy of the task and captures it, enqueues it or does it at once, as the stream requires. */
cudaError_t stream_give(cudaStream_t stream, const struct task *task);

/* Does a task that is neither a kernel nor a record. `order` is its place among all tasks, or NULL;
 * `is_tracked` says whether its accesses may race with others. */
void task_do(const struct task *task, const struct task_order *order, bool is_tracked);

/* Returns the kind of the copy; for cudaMemcpyDefault it follows from the addresses. */
enum cudaMemcpyKind task_kind_of_copy(const struct machine_copy *copy);

/* Has the copy so many bytes that its accesses are not tracked? */
bool task_is_large(const struct machine_copy *copy);

/* Does the task access memory that the host may access, too, while streams work? */
bool task_shares_memory(const struct task *task);

/* Frees memory of cudaMalloc() without waiting, for the host's call at `instruction` (runtime.c). */
void machine_free_now(void *pointer, const void *instruction);

#endif
