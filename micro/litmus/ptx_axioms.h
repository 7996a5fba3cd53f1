/*
 * The outcomes that PTX's memory model allows (PTX ISA, "Memory Consistency Model"; the form of its axioms is
 * that of Lustig, Sahasrabuddhe and Giroux 2019), by enumeration of every path through the threads, every
 * choice of what reads return, of who opens a barrier, of the order of fence.sc and of the coherence order. A
 * choice that the axioms forbid already is followed no further. For the generic proxy, and for executions
 * that end with every thread at its end, in which no thread goes back more than LITMUS_TURNS times.
 */
#ifndef MICRO_PTX_AXIOMS_H
#define MICRO_PTX_AXIOMS_H

#include "micro/litmus/litmus_test.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Notes all allowed outcomes; returns false, and notes none, for a test that it cannot judge. */
bool ptx_outcomes(const struct litmus *test, struct litmus_outcomes *out);

#ifdef __cplusplus
}
#endif

#endif
