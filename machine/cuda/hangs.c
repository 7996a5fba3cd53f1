#include "machine/cuda/hangs.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/rules.h"
#include "machine/machine.h"
#include "machine/memory/arrays.h"

#include <stdio.h>

static void (*when_suspected)(const char *text), (*when_certain)(void);

/* The first kernel that waited in vain, as long as it may be a hang. */
static struct {
    bool is_there;
    const struct machine_stream *stream;
    uint64_t at;     /* the time at which the machine gave up */
    uint64_t shared; /* a hash of the memory that the host shares with kernels */
} suspect;

/* the error of a kernel that the machine gave up and that is no hang, until a function returns it */
static cudaError_t untold;

void machine_watch_hangs(void (*suspected)(const char *text), void (*certain)(void))
{
    when_suspected = suspected;
    when_certain = certain;
    hangs_are_watched = certain != NULL;
}

cudaError_t hang_suspected(const struct machine_stream *stream)
{
    if (!hangs_are_watched)
        return cudaErrorLaunchTimeout;
    if (!suspect.is_there) {
        when_suspected(the_machine.deadlock);
        suspect.is_there = true;
        suspect.stream = stream;
        suspect.at = the_machine.now;
        suspect.shared = arrays_hash_of_host();
    }
    return cudaSuccess;
}

static bool has_host_written(void)
{
    return suspect.shared != arrays_hash_of_host();
}

static void acquit(void)
{
    suspect.is_there = false;
    untold = cudaErrorLaunchTimeout;
}

static cudaError_t take_untold(void)
{
    cudaError_t error = untold;
    untold = cudaSuccess;
    return error;
}

void hang_task_begins(const struct machine_stream *stream)
{
    if (suspect.is_there && (stream != suspect.stream || has_host_written()))
        acquit();
}

cudaError_t hang_task_ends(cudaError_t error)
{
    /* a copy or a function of the stream may have written to the host's arrays */
    if (suspect.is_there)
        suspect.shared = arrays_hash_of_host();
    return error == cudaSuccess ? take_untold() : error;
}

void hang_stream_ends(const struct machine_stream *stream)
{
    if (suspect.stream == stream)
        suspect.stream = NULL; /* the next stream may get the same address */
}

/* Another thread of the host may write what the kernel polls while this one waits. */
static bool has_other_threads(void)
{
    unsigned threads = 0;
    char line[128];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Threads: %u", &threads) != 1)
        ;
    if (file)
        fclose(file);
    return threads != 1;
}

cudaError_t hang_host_waits(const struct machine_stream *stream, uint64_t until)
{
    if (suspect.is_there && (!stream || stream == suspect.stream) && suspect.at <= until) {
        if (!has_host_written() && !has_other_threads())
            when_certain();
        acquit();
    }
    return take_untold();
}

void machine_program_ends(void)
{
    hang_host_waits(NULL, UINT64_MAX);
}
