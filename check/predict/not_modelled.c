#include "check/predict/not_modelled.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void not_modelled_note(struct not_modelled *into)
{
    static uint64_t before;
    const struct machine_counters *c = machine_get_counters();
    double line = 4 * machine_installed()->global_width, moved = (double)(c->transactions - before) * line;
    into->uses = machine_used();
    before = c->transactions;
    if (moved > into->moved) {
        into->moved = moved;
        into->held = (double)into->uses.allocated_bytes;
    }
}

/* The size of L2 in MiB, from cudaDeviceProp of the measured GPUs (results/reference), NVIDIA's white
 * papers of the A100, of Ada, of Fermi and of Kepler GK110, and NVIDIA's tuning guides for Maxwell and
 * Blackwell. */
static const struct capacity {
    const char *device;
    double mib;
} capacities[] = {{"h100", 50}, {"h200", 60},     {"a100", 40}, {"b200", 126}, {"rtx4090", 72},
                  {"k40", 1.5}, {"gtx570", .625}, {"k1200", 2}, {"titanx", 3}};

static double l2_mib(const char *device)
{
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++)
        if (strcmp(capacities[i].device, device) == 0)
            return capacities[i].mib;
    return 0;
}

/* From compute capability 7.0 on, an instruction has 16 bytes and a multiprocessor's instruction cache 128
 * KiB (Jia et al. 2018, Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking). */
#define CACHED_INSTRUCTIONS 8192

static unsigned named;

static void name(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void name(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, named++ ? "; " : "gpusync-predict: not modelled, and used here: ");
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void not_modelled_print(const struct not_modelled *of, const char *device)
{
    const struct machine_uses *uses = &of->uses;
    double mib = 1 << 20, l2 = l2_mib(device), through = of->moved < of->held ? of->moved : of->held;
    named = 0;
    if (uses->async_copies)
        name("asynchronous copies (cp.async, TMA), whose latency is a guess and which take no bandwidth");
    if (uses->textures)
        name("textures, which are taken as plain loads");
    if (uses->cluster_memory && !machine_installed()->cluster_load_latency)
        name("shared memory of other blocks of a cluster, which is taken as near as L2: it was not measured");
    if (l2 > 0 && through > l2 * mib)
        name("L2 misses: a launch goes through up to %.0f MiB, and L2 has %g", through / mib, l2);
    if (machine_installed()->compute_capability >= 70 && uses->instructions > CACHED_INSTRUCTIONS)
        name("the instruction cache: a kernel has about %llu instructions, and it holds %d",
             (unsigned long long)uses->instructions, CACHED_INSTRUCTIONS);
    if (named)
        fprintf(stderr, "\n");
}
