/* Serializes the host's threads: only one of them at a time may be in a function of the runtime. */
#ifndef MACHINE_ONE_THREAD_H
#define MACHINE_ONE_THREAD_H

#include <stdbool.h>

int one_thread_enter(bool is_call);
void one_thread_leave(const int *entered);

#define ONE_THREAD_UNTIL_RETURN(is_call)                                                                     \
    int one_thread __attribute__((cleanup(one_thread_leave), unused)) = one_thread_enter(is_call);

/* Begins a function of the CUDA runtime, which another thread of the host cannot enter until it returns. */
#define ONE_THREAD ONE_THREAD_UNTIL_RETURN(true)

/* Called when the host reads or writes a flag that kernels may use: it may wait for them. */
void one_thread_polls(void);

/* Called when the host may behave differently from now on, because part of the program was left out: ends the
 * run after the host's current call, as machine_after_call() does. */
void one_thread_is_last_call(void);

/* Is the caller the only thread of the host that has called CUDA? The host's accesses are checked only in
 * this case, because the machine does not see how threads of the host synchronize. */
bool one_thread_is_only(void);

#endif
