#include "harness/sweep.h"
#include "base/failure.h"
#include "base/memory.h"
#include "harness/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the name is in a comma-separated list. NULL is an empty list. */
static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

static bool is_wanted(const struct sweep *s, const char *name)
{
    const struct options *o = &s->options;
    for (size_t i = 0; o->variants && o->variants[i]; i++)
        if (strcmp(o->variants[i], name) == 0)
            return true;
    const char *standard = s->experiment->default_variants;
    return !o->variants && (!standard || is_named(standard, name)) &&
           !is_named(s->experiment->left_out, name);
}

static bool has_graphs_for(const struct variant *v)
{
    return v->graphs == NO_GRAPHS || device_has_graphs(v->graphs == GRAPHS_PROGRAMMATIC);
}

/* Returns whether a CUDA graph can repeat the runs of the variant. It cannot if the variant waits for the
 * device or launches a graph itself. */
static bool fits_in_graph(const struct variant *v)
{
    return !v->waits && v->graphs == NO_GRAPHS;
}

static bool is_possible(const struct sweep *s, const struct variant *v)
{
    if (s->options.in_graph && !fits_in_graph(v))
        return false;
    return has_graphs_for(v) && v->capability <= s->device.capability &&
           (!s->experiment->can_do || s->experiment->can_do(v));
}

const char *variant_needs(const struct variant *v, char *text, size_t bytes)
{
    if (v->special)
        snprintf(text, bytes, "%s", v->special);
    else if (v->graphs != NO_GRAPHS)
        snprintf(text, bytes, "CUDA graphs%s",
                 v->graphs == GRAPHS_PROGRAMMATIC ? " with programmatic dependent launch" : "");
    else if (v->capability)
        snprintf(text, bytes, "compute capability %d.%d", v->capability / 10, v->capability % 10);
    else
        snprintf(text, bytes, "-");
    return text;
}

/* Exits with a message that names what the variant needs and the device lacks: the first unmet need, in the
 * order in which is_possible checks them. */
static void __attribute__((noreturn)) refuse_variant(const struct sweep *s, const struct variant *v)
{
    char needs[256];
    struct variant lacking = *v;
    int capability = s->device.capability;
    if (s->options.in_graph && !fits_in_graph(v))
        fail(EXIT_CANNOT, "%s waits for the device, is a graph, or numbers its runs: not for --in-graph",
             v->name);
    bool graphs = has_graphs_for(v);
    if (graphs)
        lacking.graphs = NO_GRAPHS;
    if (!graphs || v->capability > capability)
        lacking.special = NULL;
    if (graphs && v->capability > capability)
        fail(EXIT_CANNOT, "%s needs %s; %s has %d.%d", v->name, variant_needs(&lacking, needs, sizeof needs),
             s->device.name, capability / 10, capability % 10);
    fail(EXIT_CANNOT, lacking.special ? "%s needs %s: not so on %s" : "%s needs %s, which %s does not have",
         v->name, variant_needs(&lacking, needs, sizeof needs), s->device.name);
}

/* Adds the variant to the list of skipped variants for the result file, with what the variant needs of a
 * device. */
static void skip_variant(struct sweep *s, const struct variant *v)
{
    char needs[256];
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "variant", v->name);
    cJSON_AddStringToObject(entry, "needs", variant_needs(v, needs, sizeof needs));
    cJSON_AddItemToArray(s->skipped, entry);
}

/* Fills in the variants to measure. If the command line names variants, exits unless the device can run all
 * of them. If a sweep names variants, or nothing does, takes the variants that the device can run. */
static void choose_variants(struct sweep *s)
{
    const struct experiment *e = s->experiment;
    s->variants = allocate((size_t)e->variant_count * sizeof *s->variants);
    s->skipped = cJSON_CreateArray();
    for (int i = 0; i < e->variant_count; i++) {
        const struct variant *v = &e->variants[i];
        bool wanted = is_wanted(s, v->name), possible = is_possible(s, v);
        if (wanted && possible)
            s->variants[s->variant_count++] = v;
        else if (wanted && s->options.variants && !s->options.sweep)
            refuse_variant(s, v);
        else if (!possible)
            skip_variant(s, v);
    }
}

static unsigned threads_of(const struct sweep *s, size_t threads, size_t size)
{
    unsigned by_size = threads_by_size(s, s->options.sizes.values[size]);
    return by_size ? by_size : (unsigned)s->options.threads.values[threads];
}

static int resident_blocks(const struct sweep *s, size_t variant, size_t threads, size_t size)
{
    return s->experiment->launches.resident_blocks(s->variants[variant], threads_of(s, threads, size),
                                                   s->options.sizes.values[size], s->device.sm_count);
}

/* Returns the largest number of blocks that can be resident under every variant whose blocks must all be
 * resident; 0 if there is no such variant. */
static int most_resident(const struct sweep *s)
{
    int most = 0;
    for (size_t i = 0; i < s->variant_count; i++)
        for (size_t t = 0; t < s->options.threads.count && s->variants[i]->resident; t++)
            for (size_t n = 0; n < s->options.sizes.count; n++) {
                int blocks = resident_blocks(s, i, t, n);
                if (!most || blocks < most)
                    most = blocks;
            }
    return most;
}

/* Adds the numbers low, low + step, ... up to `high` to the list; none if `low` is more. */
static void add_range(struct int_list *list, int low, int high, int step)
{
    for (int number = low; number <= high; number += step) {
        list->values = (int *)with_room(list->values, sizeof *list->values, list->count, 1);
        list->values[list->count++] = number;
    }
}

static void add_number(struct int_list *list, int number)
{
    add_range(list, number, number, 1);
}

/* Fills an empty list of numbers with the experiment's own list, `standard`. */
static void default_list(struct int_list *list, const char *standard)
{
    if (!list->count && parse_int_list(standard, list))
        fail(EXIT_CANNOT, "\"%s\" is no list", standard);
}

static void choose_blocks(struct sweep *s)
{
    struct int_list *list = &s->options.blocks;
    if (list->count)
        return;
    s->standard_blocks = s->options.blocks_by == BLOCKS_LISTED;
    enum block_sweep sweep = s->options.blocks_by == BLOCKS_DOUBLING ? SWEEP_DOUBLING
                             : s->options.blocks_by != BLOCKS_LISTED ? SWEEP_ALL_MULTIPROCESSORS
                                                                     : s->experiment->launches.sweep;
    if (sweep == SWEEP_ONE_BLOCK || sweep == SWEEP_TWO_BLOCKS) {
        add_number(list, sweep == SWEEP_ONE_BLOCK ? 1 : 2);
        return;
    }
    int most = most_resident(s), sms = s->device.sm_count, dense = most && most < sms ? most : sms;
    if (sweep == SWEEP_EVERY) {
        add_range(list, 1, dense > 32 ? 32 : dense - 1, 1);
        add_range(list, 36, dense - 1, 8);
    }
    if (sweep == SWEEP_DOUBLING)
        for (int blocks = 1; blocks < dense; blocks *= 2)
            add_number(list, blocks);
    if (sweep == SWEEP_9_TO_30) {
        add_range(list, 9, dense > 30 ? 30 : dense - 1, 3);
        for (int quarter = 1; quarter < 4; quarter++)
            if (dense * quarter / 4 > 30)
                add_number(list, dense * quarter / 4);
    }
    add_number(list, dense);
    bool none_further = s->options.blocks_by != BLOCKS_LISTED || sweep == SWEEP_ALL_MULTIPROCESSORS;
    int further = s->options.blocks_by == BLOCKS_TWICE ? 2 * sms : none_further ? 0 : most;
    bool only_last = sweep == SWEEP_DOUBLING && !s->device.machine;
    for (int blocks = 2 * sms; blocks <= further && blocks <= most; blocks *= 2)
        if (!only_last || 2 * blocks > further || 2 * blocks > most)
            add_number(list, blocks);
}

static int by_value(const void *a, const void *b)
{
    const int *x = (const int *)a, *y = (const int *)b;
    return (*x > *y) - (*x < *y);
}

/* Adds the numbers of blocks of --also to the others, and sorts all of them. */
static void add_further_blocks(struct options *o)
{
    struct int_list *blocks = &o->blocks;
    for (size_t i = 0; i < o->also_blocks.count; i++) {
        int further = o->also_blocks.values[i];
        for (size_t b = 0; b < blocks->count; b++)
            if (blocks->values[b] == further)
                fail(EXIT_BAD_INPUT, "--also: all variants are measured with %d blocks", further);
        add_number(blocks, further);
    }
    if (o->also_blocks.count)
        qsort(blocks->values, blocks->count, sizeof *blocks->values, by_value);
}

/* Leaves out the numbers of blocks of a sweep that are more than can be resident on this device. */
static void leave_out_blocks(struct sweep *s)
{
    struct int_list *blocks = &s->options.blocks;
    size_t kept = 0;
    int most = s->options.sweep ? most_resident(s) : 0;
    for (size_t b = 0; b < blocks->count; b++)
        if (!most || blocks->values[b] <= most)
            blocks->values[kept++] = blocks->values[b];
    blocks->count = kept;
}

/* Exits if the blocks of a variant with a grid barrier cannot all be resident. This happens before anything
 * runs, because such a barrier would never open. */
static void check_residency(const struct sweep *s, size_t variant, size_t threads, size_t size)
{
    int most = resident_blocks(s, variant, threads, size);
    if (!most)
        fail(EXIT_CANNOT, "%s: a block of %u threads has not enough registers or shared memory on %s",
             s->variants[variant]->name, threads_of(s, threads, size), s->device.name);
    if (own_blocks(s, s->variants[variant], s->options.sizes.values[size]))
        return; /* the variant chooses only as many blocks as can be resident */
    for (size_t b = 0; b < s->options.blocks.count; b++)
        if (s->options.blocks.values[b] > most)
            fail(EXIT_CANNOT,
                 "%s: %d blocks of %u threads cannot be resident at once on %s (at most %d); a grid barrier "
                 "would hang",
                 s->variants[variant]->name, s->options.blocks.values[b], threads_of(s, threads, size),
                 s->device.name, most);
}

static void check_threads(const struct sweep *s)
{
    for (size_t t = 0; t < s->options.threads.count; t++)
        if (s->options.threads.values[t] > s->device.max_threads_per_block)
            fail(EXIT_CANNOT, "%d threads a block are too many for %s (at most %d)",
                 s->options.threads.values[t], s->device.name, s->device.max_threads_per_block);
}

static void choose_sizes(struct sweep *s)
{
    const struct experiment *e = s->experiment;
    default_list(&s->options.sizes, s->device.machine ? e->machine_sizes : e->gpu_sizes);
    if (s->options.input && s->options.sizes.count > 1)
        s->options.sizes.count = 1;
}

static void choose_early(const struct sweep *s)
{
    bool early = s->options.early;
    if (early && !s->experiment->begins_early)
        fail(EXIT_BAD_INPUT, "--early has no use here: %s is not measured so", s->experiment->name);
    if (early && !device_has_programmatic_launch())
        fail(EXIT_CANNOT, "--early needs programmatic dependent launch, which %s does not have",
             s->device.name);
    begin_runs_early(early);
}

/* Exits if an option does not apply to this experiment or to this device. */
static void check_options_for_device(const struct sweep *s)
{
    const struct options *o = &s->options;
    const struct experiment *e = s->experiment;
    if (o->in_graph && e->measured)
        fail(EXIT_BAD_INPUT, "--in-graph has no use here: %s measures within its kernels", e->name);
    if (s->device.machine && o->in_graph)
        fail(EXIT_BAD_INPUT,
             "--in-graph is for GPUs: the machine's time of a run is the same wherever it is");
    if (s->device.machine && o->runs > 1 && !(o->schedule && strcmp(o->schedule, "round-robin") != 0))
        fail(EXIT_BAD_INPUT,
             "every run on the memory machine takes the same time unless --schedule is random or "
             "adversarial; --runs must be 1");
    if (!e->any_warp_size && s->device.warp_size != 32)
        fail(EXIT_CANNOT, "%s is written for warps of 32 threads; those of %s have %d", e->name,
             s->device.name, s->device.warp_size);
}

/* Chooses variants, numbers of threads and numbers of blocks. Some experiments set these two numbers for each
 * point themselves (launches.shape); such an experiment gets one number of each here, which it replaces. */
static void choose_points(struct sweep *s)
{
    struct options *o = &s->options;
    const struct experiment *e = s->experiment;
    bool by_size = threads_by_size(s, o->sizes.values[0]) > 0;
    if (by_size && o->threads.count)
        fail(EXIT_BAD_INPUT, "--threads has no use here: the size decides them");
    default_list(&o->threads, e->launches.shape || by_size ? "1" : e->launches.threads);
    if (!o->runs)
        o->runs = s->device.machine ? 1 : e->gpu_runs;
    if (o->processes > o->runs)
        o->processes = o->runs;
    check_options_for_device(s);
    choose_early(s);
    check_threads(s);
    choose_variants(s);
    for (size_t i = 0; i < s->variant_count && e->launches.check; i++)
        for (size_t t = 0; t < o->threads.count; t++)
            e->launches.check(s->variants[i], (unsigned)o->threads.values[t]);
    if (e->launches.shape)
        default_list(&o->blocks, "1");
    else
        choose_blocks(s);
    add_further_blocks(o);
    if (e->launches.shape || o->no_residency_check)
        return;
    leave_out_blocks(s);
    for (size_t i = 0; i < s->variant_count; i++)
        for (size_t t = 0; t < o->threads.count && s->variants[i]->resident; t++)
            for (size_t n = 0; n < o->sizes.count; n++)
                check_residency(s, i, t, n);
}

void choose_sweep(struct sweep *s)
{
    choose_sizes(s);
    problem_open(s, 0);
    choose_points(s);
}
