/*
 * Computes the performance model of Wang 2017 (Equations 7 and 8) from a device's own measurements; the rows
 * of the table `shuffle` (swat/batch/tables.txt) show its numbers beside the paper's Tables I, II and III.
 *
 * GCUPS (billions of cells per second) and the kernels' resources come from swat-batch and pairhmm: from the
 * largest batch without copies or, on the memory machine, from the batch that fills it. Latencies of
 * instructions come from micro-latency. The memory machine counts the instructions of an iteration, as the
 * difference of two runs that differ by 64 iterations.
 *
 *     parallelism  Equation 8: the threads that registers and shared memory admit, on all multiprocessors; on
 *                  the memory machine, whose kernels have no registers, those that shared memory admits
 *     latency      Equation 7, solved for the latency: parallelism x clock / GCUPS, in cycles
 *     estimated    the sum over instructions of their number x their latency; the accesses to registers that
 *                  the paper counts beside them are taken from the paper
 *
 * The suite adds two terms that the equations leave out. A multiprocessor holds a limited number of blocks
 * (resident threads). A scheduler issues one instruction in a cycle, so that an iteration takes at least as
 * many cycles as its resident warps have instructions (counts/instructions.json, where the device's profiler
 * counted them).
 */
#include "report/papers/shuffle.h"
#include "base/failure.h"
#include "report/devices.h"
#include "report/tables.h"
#include "report/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* folder of the results from which the memory machine's counts of instructions are read */
#define COUNTS "results/reference/machine-titanx"
#define ITERATIONS 64 /* number of iterations by which the two runs differ whose instructions are counted */
/* number of registers that a multiprocessor has since the GPUs of the Kepler architecture */
#define REGISTERS 65536
/* number of warp schedulers that a multiprocessor has since the GPUs of the Kepler architecture */
#define SCHEDULERS 4
#define WARP 32

enum { SW1, SW2, PH1, PH2, KERNELS };

static const struct {
    const char *name, *variant;
    int warps; /* number of warps that wait for each other in __syncthreads() of this kernel */
} kernels[KERNELS] = {
    {"SW1", "shared", 1}, {"SW2", "shuffle", 1}, {"PH1", "shared", 4}, {"PH2", "shuffle", 1}};

struct model {
    struct result *swat, *pairhmm, *latency, *throughput;
    struct result *few_swat, *many_swat, *few_pairhmm, *many_pairhmm;
    /* the numbers of Wang 2017; and a GPU profiler's counts of instructions, or NULL if there are none */
    cJSON *paper, *instructions;
    double shared_per_sm, threads_per_sm;
    struct kernel {
        double gcups, occupancy, registers, shared_bytes;
        double parallelism, without_registers, resident;                /* in threads */
        double latency, latency_without_registers, latency_of_resident; /* in cycles */
        double loads, stores, shuffles, syncs, estimated;
        double instructions, issue, estimated_with_issue;
    } k[KERNELS];
};

/* Returns the variant's point with the largest size. */
static const cJSON *largest(const struct result *r, const char *variant)
{
    const cJSON *found = NULL;
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant) && (!found || number_of(p, "size") >= number_of(found, "size")))
        found = p;
    return found;
}

static double fact(const struct model *m, const char *name)
{
    double value = number_of(m->latency->device, name);
    return isnan(value) ? number_of(m->latency->device, made("description.constants.%s.value", name)) : value;
}

static double cycles_of(const struct model *m, const char *instruction)
{
    return number_of(m->latency->json, made("analysis.%s.latency", instruction));
}

/* Returns how often the memory machine counted an instruction in one iteration: the difference of its counts
 * in two runs, divided by their difference in iterations. */
static double count(const struct result *few, const struct result *many, const char *variant,
                    const char *what)
{
    return (number_of(largest(many, variant), made("counters.%s", what)) -
            number_of(largest(few, variant), made("counters.%s", what))) /
           ITERATIONS;
}

static double room(double available, double used, double most)
{
    return used > 0 ? available / used : most;
}

static double equation_7(const struct model *m, const struct kernel *k, double parallelism)
{
    return parallelism * m->latency->clock_hz / (k->gcups * 1e9);
}

static void add_parallelism(const struct model *m, struct kernel *k, double threads, double blocks_per_sm)
{
    double by_registers = room(REGISTERS, k->registers, INFINITY);
    double by_shared = room(m->shared_per_sm * threads, k->shared_bytes, m->threads_per_sm);
    k->parallelism = fmin(by_registers, by_shared) * m->latency->sms;
    k->without_registers = by_shared * m->latency->sms;
    k->resident = blocks_per_sm * threads * m->latency->sms;
    k->latency = equation_7(m, k, k->parallelism);
    k->latency_without_registers = equation_7(m, k, k->without_registers);
    k->latency_of_resident = equation_7(m, k, k->resident);
}

/* Computes how many instructions a warp executes for one cell of each of its threads, and how many cycles the
 * schedulers need to issue these instructions for all resident warps. */
static void add_issue_slots(const struct model *m, struct kernel *k, const char *program, const char *variant)
{
    k->instructions = WARP * number_of(m->instructions, made("%s.%s.warp_instructions", program, variant)) /
                      number_of(m->instructions, made("%s.%s.cells", program, variant));
    k->issue = k->instructions * k->resident / WARP / m->latency->sms / SCHEDULERS;
    /* fmax ignores an `issue` that is NaN, of a kernel whose instructions the profiler did not count */
    k->estimated_with_issue = m->instructions ? fmax(k->estimated, k->issue) : NAN;
}

static double paper_of(const struct model *m, int id, const char *name)
{
    return number_of(m->paper, made("kernels.%s.%s", kernels[id].name, name));
}

static struct kernel model_kernel(const struct model *m, int id)
{
    bool pairhmm = id >= PH1;
    const char *variant = kernels[id].variant;
    const struct result *r = pairhmm ? m->pairhmm : m->swat, *few = pairhmm ? m->few_pairhmm : m->few_swat,
                        *many = pairhmm ? m->many_pairhmm : m->many_swat;
    const cJSON *p = largest(r, variant);
    double threads = number_of(p, "kernel.threads"), blocks = number_of(p, "kernel.blocks_per_sm");
    struct kernel k = {.registers = number_of(p, "kernel.registers"),
                       .shared_bytes = number_of(p, "kernel.shared_bytes"),
                       .loads = count(few, many, variant, "shared_loads"),
                       .stores = count(few, many, variant, "shared_stores"),
                       .shuffles = count(few, many, variant, "shuffles"),
                       .syncs = count(few, many, variant, "block_barriers")};
    k.gcups = 1e-3 / operation_time(r, p).us;
    k.occupancy = 100 * blocks * threads / m->threads_per_sm;
    add_parallelism(m, &k, threads, blocks);
    k.estimated = (k.loads + k.stores) * cycles_of(m, "shared") + k.shuffles * cycles_of(m, "shuffle-up-1") +
                  k.syncs * cycles_of(m, made("syncthreads-%d", kernels[id].warps)) +
                  paper_of(m, id, "register_accesses") * cycles_of(m, "register");
    add_issue_slots(m, &k, pairhmm ? "pairhmm" : "swat-batch", variant);
    return k;
}

/* ---- the whole performance model ---- */

static void model_open(struct model *m, const char *folder)
{
    const char *counts = suite_path(COUNTS);
    *m = (struct model){.swat = result_need(folder, "swat-batch@full,main"),
                        .pairhmm = result_need(folder, "pairhmm@full,main"),
                        .latency = result_need(folder, "micro-latency"),
                        .throughput = result_need(folder, "micro-throughput"),
                        .few_swat = result_need(counts, "swat-batch@counts-96"),
                        .many_swat = result_need(counts, "swat-batch@counts-160"),
                        .few_pairhmm = result_need(counts, "pairhmm@counts-64"),
                        .many_pairhmm = result_need(counts, "pairhmm@counts-128"),
                        .paper = json_of_suite("results/papers/wang-2017.json")};
    m->instructions = json_beside(folder, "counts/instructions");
    m->shared_per_sm = fact(m, "shared_bytes_per_sm");
    m->threads_per_sm = fact(m, "max_threads_per_sm");
    for (int id = 0; id < KERNELS; id++)
        m->k[id] = model_kernel(m, id);
}

double shuffle_number(const char *folder, const char *kernel, const char *name)
{
#define NUMBER(member)                                                                                       \
    {                                                                                                        \
#member, offsetof(struct kernel, member)                                                             \
    }
    static const struct {
        const char *name;
        size_t offset;
    } numbers[] = {NUMBER(gcups),
                   NUMBER(occupancy),
                   NUMBER(registers),
                   NUMBER(shared_bytes),
                   NUMBER(parallelism),
                   NUMBER(without_registers),
                   NUMBER(resident),
                   NUMBER(latency),
                   NUMBER(latency_without_registers),
                   NUMBER(latency_of_resident),
                   NUMBER(loads),
                   NUMBER(stores),
                   NUMBER(shuffles),
                   NUMBER(syncs),
                   NUMBER(estimated),
                   NUMBER(instructions),
                   NUMBER(issue),
                   NUMBER(estimated_with_issue)};
    struct model m;
    double number = NAN;
    model_open(&m, folder);
    for (int id = 0; id < KERNELS; id++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (strcmp(kernels[id].name, kernel) == 0 && strcmp(numbers[i].name, name) == 0)
                number = *(const double *)(const void *)((const char *)&m.k[id] + numbers[i].offset);
    return number;
}

/* ---- the shares of an algorithm's time ---- */

/* Returns the time in microseconds of the fence with which the variant none-cold empties the L1 cache: the
 * time of a round of none-cold in micro-barrier minus the time of a round of none. Uses the measured number
 * of blocks nearest to `blocks`. */
static double fence_us(const struct result *micro, double blocks)
{
    double least = INFINITY, us = NAN;
    if (!micro)
        return NAN;
    FOR_EACH_POINT(cold, micro)
    {
        double at = number_of(cold, "blocks");
        if (!point_is(cold, "none-cold") || !(fabs(at - blocks) < least))
            continue;
        least = fabs(at - blocks);
        us = operation_us(micro, "none-cold", at) - operation_us(micro, "none", at);
    }
    return us;
}

struct shares shares_of(const struct result *r, const struct result *micro, const char *variant)
{
    const cJSON *best = fastest_of(r, variant, -1);
    double blocks = number_of(best, "blocks"), all = run_time(r, best).us,
           none = run_us(r, "none", blocks, -1), cold = run_us(r, "none-cold", blocks, -1),
           fences = number_of(best, "operations") * fence_us(micro, blocks);
    double refill = fmax(0, cold - none - fences);
    if (isnan(refill))
        refill = 0;
    return (struct shares){100 * none / all, 100 * refill / all, 100 * (all - none - refill) / all};
}
