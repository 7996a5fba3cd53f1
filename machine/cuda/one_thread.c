#include "machine/cuda/one_thread.h"
#include "machine/machine.h"

#include <pthread.h>
#include <time.h>

static bool several_threads;
static __thread bool has_called;

bool one_thread_is_only(void)
{
    return has_called && !several_threads;
}

/* recursive, because functions of the runtime call each other, and a stream calls functions of the host */
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static unsigned depth;           /* number of functions that the thread with the mutex has entered */
static unsigned long long calls; /* number of the program's calls */
static struct timespec called;   /* time by the clock at which the last of them began or returned */
static unsigned long long last_call;
static void (*after_last_call)(void);

static bool polls; /* has the host used a flag since its last call? */

unsigned long long machine_host_calls(double *seconds, bool *is_in_call)
{
    struct timespec now = called;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *is_in_call = depth > 0;
    *seconds = (double)(now.tv_sec - called.tv_sec) + 1e-9 * (double)(now.tv_nsec - called.tv_nsec);
    return polls ? 0 : calls - (depth > 0);
}

void one_thread_polls(void)
{
    polls = true;
}

void machine_after_call(unsigned long long number, void (*then)(void))
{
    last_call = number;
    after_last_call = then;
}

void one_thread_is_last_call(void)
{
    if (after_last_call && !last_call)
        last_call = calls;
}

int one_thread_enter(bool is_call)
{
    static pthread_t first;
    static bool has_first;
    pthread_mutex_lock(&mutex);
    if (!has_first)
        first = pthread_self();
    has_first = true;
    several_threads = several_threads || !pthread_equal(first, pthread_self());
    has_called = true;
    if (is_call && depth == 0) {
        calls++;
        polls = false;
        clock_gettime(CLOCK_MONOTONIC, &called);
    }
    depth++;
    return 0;
}

void one_thread_leave(const int *entered)
{
    (void)entered;
    bool is_last = --depth == 0 && after_last_call && last_call && calls == last_call;
    void (*then)(void) = after_last_call;
    if (depth == 0)
        clock_gettime(CLOCK_MONOTONIC, &called);
    if (is_last)
        after_last_call = NULL;
    pthread_mutex_unlock(&mutex);
    if (is_last)
        then();
}
