#include "machine/cuda/one_thread.h"

#include <pthread.h>

static bool several_threads;
static __thread bool has_called;

bool one_thread_is_only(void)
{
    return has_called && !several_threads;
}

/* recursive, because functions of the runtime call each other, and a stream calls functions of the host */
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int one_thread_enter(void)
{
    static pthread_t first;
    static bool has_first;
    pthread_mutex_lock(&mutex);
    if (!has_first)
        first = pthread_self();
    has_first = true;
    several_threads = several_threads || !pthread_equal(first, pthread_self());
    has_called = true;
    return 0;
}

void one_thread_leave(const int *entered)
{
    (void)entered;
    pthread_mutex_unlock(&mutex);
}
