/*
 * The outcomes that PTX's memory model allows (PTX ISA, "Memory Consistency Model"; the form of its axioms is
 * that of Lustig, Sahasrabuddhe and Giroux 2019), by enumeration of every choice of what reads return, of the
 * order of fence.sc and of the coherence order. For the generic proxy and straight code
 * without compare-and-swap.
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
