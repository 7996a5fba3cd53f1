/*
 * The order of the tasks of streams. A task is a kernel, a copy or another command that the host has given to
 * a stream. The tasks of a stream form a line: a sequence in which each task begins after the preceding one
 * has ended. A clock says for each line how many of its tasks have ended before a task begins, or before the
 * host goes on. Clocks are immutable and shared by reference counting. NULL is the clock that knows no task.
 */
#ifndef MACHINE_CLOCKS_H
#define MACHINE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    unsigned references, lines;
    uint32_t known[]; /* for each line, the number of its tasks that are known to have ended */
};

/* A task's place: it is the nth task, counted from 1, of a line. */
struct stamp {
    unsigned line;
    uint32_t nth;
};

struct clock *clock_keep(struct clock *clock); /* adds a reference to the clock and returns it */
void clock_drop(struct clock *clock);
/* Replaces the clock at *place by a clock that knows all tasks that it or `other` knows. */
void clock_join(struct clock **place, struct clock *other);
/* Replaces the clock at *place by a clock that also knows this task and the earlier tasks of its line. */
void clock_add(struct clock **place, struct stamp stamp);
bool clock_knows(const struct clock *clock, struct stamp stamp);

#endif
