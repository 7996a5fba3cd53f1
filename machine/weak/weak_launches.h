/*
 * Launches, and other tasks of streams that access memory, on weak memory. The writes and reads of kernels
 * are kept until every later task is sure to know them. If the host waits for each kernel before it launches
 * the next one, they are kept until the next launch. If tasks of several streams may overlap, they are kept
 * until the host has waited for all tasks.
 */
#ifndef MACHINE_WEAK_LAUNCHES_H
#define MACHINE_WEAK_LAUNCHES_H

#include "machine/state.h"
#include "machine/weak/clocks.h"

/* The place of a task among the tasks of all streams. */
struct task_order {
    struct stamp stamp;
    struct clock *clock;     /* the tasks that have ended before this one begins */
    const void *instruction; /* the host's call */
    unsigned device;         /* the device of a kernel */
    bool is_alone;           /* is there only one stream, so that every later task comes after this one? */
    bool is_only;            /* has no stream been made so far? */
    /* do this task and all later ones know all accesses that are kept (weak_knows_all())? */
    bool knows_all;
};

/* Returns whether the clock knows all tasks whose accesses are kept. */
bool weak_knows_all(const struct clock *clock);

/* Called when a launch begins, and when the last kernel in progress has ended. On a coherent machine these
 * two functions only note that lanes are not watched. */
void weak_launch_begins(struct kernel *kernel);
void weak_launch_ends(void);

/* Notes that the host waits for the device or copies. The next launch then knows all writes of the last
 * one, even if it is a dependent launch. For machines whose streams are not queues
 * (machine/cuda/queues.h). */
void weak_host_waits(void);

/* Sets the clock of the host, or of the host function that a stream calls now: the tasks that it knows. The
 * clock must live until the next call. */
void weak_set_host_clock(struct clock *clock);

/* Begins a task of a stream other than a kernel, with the name that reports give it. Until
 * weak_task_ends(), its accesses to memory are made by weak_task_reads() and weak_task_writes(), which
 * copy from memory and to memory. No lane runs meanwhile. If memory is coherent, these only copy. */
void weak_task_begins(const struct task_order *order, const char *name, const void *instruction);
void weak_task_reads(void *to, const void *from, size_t bytes);
void weak_task_writes(void *to, const void *from, size_t bytes);
void weak_task_ends(void);

/* Are there accesses of kernels or copies with which one of the host is compared? */
bool weak_host_is_checked(void);

/* Checks an access of host code that the machine has compiled. */
void weak_host_accesses(uintptr_t address, size_t bytes, bool writes, bool is_strong,
                        const void *instruction);

/* Forgets the accesses to this memory, which is being freed. */
void weak_forget(const void *memory, size_t bytes);

#endif
