#include "base/parallel.h"
#include "base/failure.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define MOST_WORKERS 64

struct work {
    void (*call)(size_t number);
    size_t count;       /* number of calls; `call` gets the numbers from 0 to count - 1 */
    atomic_size_t next; /* the lowest of these numbers for which no thread has called `call` yet */
};

static void *take_numbers(void *of)
{
    struct work *work = of;
    for (size_t number; (number = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->call(number);
    return NULL;
}

size_t parallel_processors(void)
{
    cpu_set_t allowed;
    int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : MOST_WORKERS;
    return count < MOST_WORKERS ? (size_t)count : MOST_WORKERS;
}

static size_t worker_count(size_t most)
{
    size_t workers = parallel_processors();
    return workers < most ? workers : most;
}

void parallel_for(size_t count, void (*call)(size_t number))
{
    struct work work = {.call = call, .count = count};
    pthread_t workers[MOST_WORKERS];
    size_t wanted = worker_count(count);
    for (size_t i = 0; i < wanted; i++) {
        int error = pthread_create(&workers[i], NULL, take_numbers, &work);
        if (error)
            fail(EXIT_CANNOT, "no other thread: %s", strerror(error));
    }
    for (size_t i = 0; i < wanted; i++)
        pthread_join(workers[i], NULL);
}
