/* Runs a litmus test on the machine's memory model, and notes all its outcomes or samples of them. */
#ifndef MICRO_LITMUS_EXPLORE_H
#define MICRO_LITMUS_EXPLORE_H

#include "base/random.h"
#include "micro/litmus/litmus_test.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Notes the outcome of every execution: of every schedule, of every choice of the message that a read
 * returns, and of every choice of a write's position in its location's order. Gives up after `most`
 * executions, and returns whether it executed all. Omits executions in which a thread branches back more than
 * LITMUS_TURNS times, or waits for ever.
 */
bool litmus_explore(const struct litmus *test, unsigned long long most, struct litmus_outcomes *out);

/* Notes the outcomes of this number of executions with random choices. */
void litmus_sample(const struct litmus *test, unsigned long long executions, struct random *random,
                   struct litmus_outcomes *out);

#ifdef __cplusplus
}
#endif

#endif
