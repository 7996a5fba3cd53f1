/*
 * The outcomes that PTX's memory model allows (PTX ISA, "Memory Consistency Model"; the axioms have the form
 * of Lustig, Sahasrabuddhe and Giroux 2019). They are found by enumeration of every path through the threads,
 * every choice of the write that a read reads from, of the threads that open a barrier, of the order of
 * fence.sc and of the coherence order. A choice that the axioms forbid is not continued. This covers the
 * generic proxy, and executions in which every thread reaches its end and no thread branches back more than
 * LITMUS_TURNS times.
 */
#ifndef MICRO_PTX_AXIOMS_H
#define MICRO_PTX_AXIOMS_H

#include "micro/litmus/litmus_test.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Notes in `out` all outcomes of a test that PTX allows. Returns false, and notes none, for a test that it
 * cannot judge. */
bool ptx_outcomes(const struct litmus *test, struct litmus_outcomes *out);

#ifdef __cplusplus
}
#endif

#endif
