/*
 * Makes the table `shuffle`: the performance model of Wang 2017 (Equations 7 and 8, Tables I, II and III),
 * computed from a device's own measurements, beside the paper's numbers.
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
 *     reduction    SW1 less SW2, PH1 less PH2
 *
 * The suite adds two terms that the equations leave out. A multiprocessor holds a limited number of blocks
 * (resident threads). A scheduler issues one instruction in a cycle, so that an iteration takes at least as
 * many cycles as its resident warps have instructions (counts/instructions.json, where the device's profiler
 * counted them).
 */
#include "report/papers/shuffle.h"
#include "base/failure.h"
#include "report/suite_path.h"
#include "report/tables.h"
#include "report/results.h"
#include "report/timing.h"

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

bool has_shuffle_model(const char *folder)
{
    return folder_has(folder, "swat-batch:shuffle pairhmm:shuffle micro-latency micro-throughput");
}

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
    return isnan(value) ? number_in(m->latency->device, "description.constants.%s.value", name) : value;
}

static double cycles_of(const struct model *m, const char *instruction)
{
    return number_in(m->latency->json, "analysis.%s.latency", instruction);
}

/* Returns how often the memory machine counted an instruction in one iteration: the difference of its counts
 * in two runs, divided by their difference in iterations. */
static double count(const struct result *few, const struct result *many, const char *variant,
                    const char *what)
{
    return (number_in(largest(many, variant), "counters.%s", what) -
            number_in(largest(few, variant), "counters.%s", what)) /
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
    k->instructions = WARP * number_in(m->instructions, "%s.%s.warp_instructions", program, variant) /
                      number_in(m->instructions, "%s.%s.cells", program, variant);
    k->issue = k->instructions * k->resident / WARP / m->latency->sms / SCHEDULERS;
    /* `issue` is NaN if no profiler counted instructions; fmax ignores NaN */
    k->estimated_with_issue = fmax(k->estimated, k->issue);
}

static double paper_of(const struct model *m, int id, const char *name)
{
    return number_in(m->paper, "kernels.%s.%s", kernels[id].name, name);
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
    char barrier[32];
    snprintf(barrier, sizeof barrier, "syncthreads-%d", kernels[id].warps);
    k.estimated = (k.loads + k.stores) * cycles_of(m, "shared") + k.shuffles * cycles_of(m, "shuffle-up-1") +
                  k.syncs * cycles_of(m, barrier) +
                  paper_of(m, id, "register_accesses") * cycles_of(m, "register");
    add_issue_slots(m, &k, pairhmm ? "pairhmm" : "swat-batch", variant);
    return k;
}

/* ---- Wang 2017, Table I, and the latencies of instructions ---- */

static void print_throughput(const struct model *m, enum form form, FILE *file)
{
    static const char *const rows[][2] = {{"fp32", "GFLOPS"},
                                          {"shared-memory", "shared memory, GB/s"},
                                          {"global-memory", "global memory, GB/s"}};
    struct table t = {NULL, 0};
    double giga = m->latency->machine ? m->latency->clock_hz / 1e9 : 1;
    table_add(&t, "Table I | %s | K1200, paper | Titan X, paper", how(m->latency));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        table_add(&t, "%s | %.0F | %.0F | %.0F", rows[i][1],
                  number_in(m->throughput->json, "analysis.%s", rows[i][0]) * giga,
                  number_in(m->paper, "micro-throughput.k1200.%s", rows[i][0]),
                  number_in(m->paper, "micro-throughput.titanx.%s", rows[i][0]));
    table_end(&t, form, file);
}

static void print_latencies(const struct model *m, enum form form, FILE *file)
{
    static const char *const rows[][2] = {{"shuffle-up-1", "micro-latency.shuffle"},
                                          {"shared", "micro-latency.shared"},
                                          {"syncthreads-1", "micro-latency.syncthreads"},
                                          {"syncthreads-4", ""}};
    struct table t = {NULL, 0};
    table_add(&t, "Latency, cycles (a register takes one) | %s | K1200, paper", how(m->latency));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table_add(&t, "%s | %.1F | %.1F", rows[i][0], cycles_of(m, rows[i][0]),
                  *rows[i][1] ? number_of(m->paper, rows[i][1]) : NAN);
    }
    table_end(&t, form, file);
}

/* ---- Wang 2017, Tables II and III ---- */

static void kernel_head(struct table *t, const char *title, const char *how)
{
    table_add(t, title, how);
    for (int id = 0; id < KERNELS; id++)
        table_cells(t, "%s", kernels[id].name);
    for (int id = 0; id < KERNELS; id++)
        table_cells(t, "%s, paper", kernels[id].name);
}

/* Returns the member of struct kernel at this offset, for the kernel number `id` (SW1, SW2, PH1 or PH2). */
static double member(const struct model *m, int id, size_t offset)
{
    return *(const double *)(const void *)((const char *)&m->k[id] + offset);
}

static double paper_or_none(const struct model *m, int id, const char *paper)
{
    return paper ? paper_of(m, id, paper) : NAN;
}

static void kernel_row(struct table *t, const struct model *m, const char *what, size_t offset,
                       const char *paper, int digits)
{
    table_add(t, "%s", what);
    for (int id = 0; id < KERNELS; id++)
        table_cells(t, "%.*F", digits, member(m, id, offset));
    for (int id = 0; id < KERNELS; id++)
        table_cells(t, "%.1F", paper_or_none(m, id, paper));
}
#define ROW(what, member, paper, digits)                                                                     \
    kernel_row(&t, m, what, offsetof(struct kernel, member), paper, digits)

/* Computes by how much a member of struct kernel falls from SW1 to SW2 and from PH1 to PH2. values[] gets the
 * suite's two reductions, then the paper's two. `paper` is the paper's name for the member, or NULL if the
 * paper does not have it. */
static void reductions(const struct model *m, size_t offset, const char *paper, double values[4])
{
    for (int i = 0; i < 2; i++) {
        int one = 2 * i, two = one + 1;
        values[i] = member(m, one, offset) - member(m, two, offset);
        values[i + 2] = paper_or_none(m, one, paper) - paper_or_none(m, two, paper);
    }
}

/* Adds a row with one value for each pair of kernels, SW1 with SW2 and PH1 with PH2, in the columns of SW2
 * and PH2: the suite's value and the paper's. */
static void pair_row(struct table *t, const char *what, const double values[4], int digits)
{
    table_add(t, "%s", what);
    for (int i = 0; i < 4; i++) {
        table_cells(t, "- | %.*F", digits, values[i]);
    }
}

static void reduction_row(struct table *t, const struct model *m, const char *what, size_t offset,
                          const char *paper)
{
    double values[4];
    reductions(m, offset, paper, values);
    pair_row(t, what, values, 0);
}
#define REDUCTION(what, member, paper) reduction_row(&t, m, what, offsetof(struct kernel, member), paper)

/* Adds a row with the relative error, in percent, of the estimated reduction. */
static void error_row(struct table *t, const struct model *m, const char *what, size_t estimated,
                      size_t measured, bool in_paper)
{
    double one[4], other[4];
    reductions(m, estimated, in_paper ? "estimated" : NULL, one);
    reductions(m, measured, in_paper ? "latency" : NULL, other);
    for (int i = 0; i < 4; i++)
        one[i] = 100 * (one[i] / other[i] - 1);
    pair_row(t, what, one, 1);
}
#define ERROR(what, estimated, measured, in_paper)                                                           \
    error_row(&t, m, what, offsetof(struct kernel, estimated), offsetof(struct kernel, measured), in_paper)

static void print_parallelism(const struct model *m, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    kernel_head(&t, "Table II, %s", how(m->latency));
    ROW("GCUPS", gcups, "gcups", 1);
    ROW("occupancy, %", occupancy, "occupancy", 1);
    ROW("registers a thread", registers, "registers", 0);
    ROW("shared memory a block, bytes", shared_bytes, "shared_bytes", 0);
    ROW("parallelism (Equation 8), threads", parallelism, "parallelism", 0);
    ROW("latency (Equation 7), cycles", latency, "latency", 0);
    REDUCTION("reduction, cycles", latency, "latency");
    ROW("parallelism without the term of registers", without_registers, NULL, 0);
    ROW("latency with that, cycles", latency_without_registers, NULL, 0);
    REDUCTION("reduction with that, cycles", latency_without_registers, NULL);
    ROW("threads that are resident, since blocks are limited too", resident, NULL, 0);
    ROW("latency with those, cycles", latency_of_resident, NULL, 0);
    REDUCTION("reduction with those, cycles", latency_of_resident, NULL);
    table_end(&t, form, file);
}

static void print_estimates(const struct model *m, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    kernel_head(&t, "Table III: a warp's or a block's instructions in an iteration%s", "");
    ROW("loads from shared memory", loads, "loads", 1);
    ROW("stores to shared memory", stores, "stores", 1);
    ROW("shuffles", shuffles, "shuffles", 1);
    ROW("__syncthreads", syncs, "syncthreads", 1);
    ROW("estimated latency, cycles", estimated, "estimated", 0);
    REDUCTION("estimated reduction, cycles", estimated, "estimated");
    ERROR("its relative error, %", estimated, latency, true);
    ERROR("its relative error, %, of resident threads", estimated, latency_of_resident, false);
    if (m->instructions) {
        ROW("machine instructions of a warp for a cell of each thread", instructions, NULL, 1);
        ROW("issue slots: those of a scheduler's warps, cycles", issue, NULL, 0);
        ROW("estimated with issue slots, cycles: the larger", estimated_with_issue, NULL, 0);
        REDUCTION("estimated reduction with issue slots, cycles", estimated_with_issue, NULL);
        ERROR("its relative error, %, of resident threads", estimated_with_issue, latency_of_resident, false);
    }
    table_end(&t, form, file);
}

/* ---- the whole performance model, and its tables ---- */

static void model_open(struct model *m, const char *folder)
{
    char counts[SUITE_PATH_BYTES];
    suite_path(COUNTS, counts);
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
    if (!result_has(m->swat, "shuffle") || !result_has(m->pairhmm, "shuffle"))
        fail(EXIT_BAD_INPUT, "the device of %s has no shuffles", folder);
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
    } numbers[] = {NUMBER(occupancy), NUMBER(estimated), NUMBER(latency),  NUMBER(latency_of_resident),
                   NUMBER(loads),     NUMBER(stores),    NUMBER(shuffles), NUMBER(syncs)};
    struct model m;
    double number = NAN;
    model_open(&m, folder);
    for (int id = 0; id < KERNELS; id++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (strcmp(kernels[id].name, kernel) == 0 && strcmp(numbers[i].name, name) == 0)
                number = member(&m, id, numbers[i].offset);
    return number;
}

void print_shuffle(const char *folder, enum form form, FILE *file)
{
    static void (*const tables[])(const struct model *, enum form, FILE *) = {
        print_throughput, print_latencies, print_parallelism, print_estimates};
    struct model m;
    model_open(&m, folder);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (i && form != FORM_JSON)
            fputc('\n', file);
        tables[i](&m, form, file);
    }
}

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
