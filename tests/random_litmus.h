/* Functions with which tests draw random litmus tests. */
#ifndef TESTS_RANDOM_LITMUS_H
#define TESTS_RANDOM_LITMUS_H

#include "base/random.h"
#include "micro/litmus/litmus_explore.h"

static struct random random_state;

/* Returns a number from 0 to count - 1. */
static int any(int count)
{
    return (int)(random_next(&random_state) % (unsigned)count);
}

/* Returns a random scope. The scope of the device is twice as likely as each of the others. */
static enum machine_scope any_scope(void)
{
    static const enum machine_scope scopes[] = {SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_DEVICE, SCOPE_SYSTEM};
    return scopes[any(4)];
}

#endif
