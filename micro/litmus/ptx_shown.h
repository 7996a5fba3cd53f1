/* The execution that is being shown (micro/litmus/ptx_show.c), for the functions that explain it */
#ifndef MICRO_PTX_SHOWN_H
#define MICRO_PTX_SHOWN_H

#include "micro/litmus/ptx_execution.h"

/* Each event has a letter as its name; the read and the write of an atomic share one. */
extern struct ptx_shown {
    struct ptx_execution x;
    char names[PTX_EVENTS][12];
    FILE *file;
} ptx_shown;

static inline const struct ptx_event *event(int e)
{
    return &ptx_shown.x.path.events[e];
}

static inline const char *name_of(int e)
{
    return ptx_shown.names[e];
}

/* Prints a paragraph with at most 94 characters a line. The first line begins with `indent` blanks, each
 * other line with two more. */
void __attribute__((format(printf, 2, 3))) ptx_say(int indent, const char *format, ...);

/* Says which order is absent, so that PTX allows the execution. */
void ptx_explain_absence(void);

/* Says which axiom forbids the execution, and by which steps causality order leads from one to the other of
 * the two events that violate it. */
void ptx_explain_violation(void);

#endif
