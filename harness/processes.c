/* Samples in several processes, each of which has its own context and allocations. */
#include "base/failure.h"
#include "harness/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of a point, before the device is opened, which is when the options would get their number. */
static int samples_of(const struct sweep *s)
{
    return s->options.runs ? s->options.runs : s->experiment->gpu_runs;
}

/* How many: only the journal carries samples from one process to the next, and the machine's do not differ. */
static int process_count(const struct sweep *s)
{
    int samples = samples_of(s);
    int count = device_is_machine() || !s->options.json ? 1 : s->options.processes;
    return count < samples ? count : samples;
}

static void __attribute__((noreturn))
measure_as_child(struct sweep *s, void (*take)(struct sweep *sweep, size_t goal), size_t goal)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a second writer of the journal must not outlive the first */
    s->options.quiet = true;
    take(s, goal);
    exit(EXIT_VERIFIED);
}

/* The process that was called opens no device before its children are done: a context does not survive fork. */
void measure_in_processes(struct sweep *s, void (*take)(struct sweep *sweep, size_t goal))
{
    int count = process_count(s), samples = samples_of(s), status;
    for (s->process = 0; s->process + 1 < count; s->process++) {
        size_t goal = (size_t)((samples * (s->process + 1) + count - 1) / count);
        pid_t child = fork();
        if (child < 0)
            fail(EXIT_CANNOT, "no other process: %s", strerror(errno));
        if (!child)
            measure_as_child(s, take, goal);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_VERIFIED)
            exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CANNOT);
        s->options.resume = true;
    }
    s->is_last_process = true;
    take(s, device_is_machine() ? 1 : (size_t)samples);
}
