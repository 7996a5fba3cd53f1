/*
 * The classic litmus tests (mp, sb, lb, ...), each in the forms that PTX distinguishes: the strength of the
 * accesses, the fence between two accesses of a thread, and whether the threads share a block.
 */
#ifndef MICRO_LITMUS_CLASSIC_H
#define MICRO_LITMUS_CLASSIC_H

#include "micro/litmus/litmus_test.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const int litmus_classic_count, litmus_form_count;

const char *litmus_classic_name(int classic);

/* Makes classic test number `classic` in form number `form`; its name is "classic+form", for example
 * "mp+relaxed". */
void litmus_make_classic(int classic, int form, struct litmus *out);

#ifdef __cplusplus
}
#endif

#endif
