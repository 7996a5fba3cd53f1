#include "report/tables.h"
#include "report/causes.h"
#include "report/cost.h"
#include "report/fidelity.h"
#include "report/results.h"

#include <stdlib.h>

static bool has_micro(const char *folder)
{
    return has_file(folder, "micro-barrier");
}

static bool has_steps(const char *folder)
{
    size_t count;
    char **names = results_of_family(folder, "steps", &count);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return count && has_micro(folder);
}

static bool has_fine_grained(const char *folder)
{
    return has_file(folder, "micro-producer-consumer") && has_file(folder, "nw") &&
           has_file(folder, "nw-widest");
}

static bool has_shuffles(const char *folder, const char *name)
{
    struct result *r = result_open(folder, name);
    bool has = r && result_has(r, "shuffle");
    result_close(r);
    return has;
}

static bool has_shuffle(const char *folder)
{
    return has_shuffles(folder, "swat-batch") && has_shuffles(folder, "pairhmm") &&
           has_file(folder, "micro-latency") && has_file(folder, "micro-throughput");
}

static bool has_sum(const char *folder)
{
    struct result *micro = result_open(folder, "micro-barrier");
    bool has = micro && result_has(micro, "counter") && has_file(folder, "sum");
    result_close(micro);
    return has;
}

static bool has_best(const char *folder)
{
    return has_file(folder, "fft-few") || has_file(folder, "bitonic-few") ||
           has_file(folder, "sum-one-pass-graph");
}

static bool has_components(const char *folder)
{
    return has_file(folder, "micro-components");
}

static bool has_study(const char *folder)
{
    return has_file(folder, "study");
}

static bool has_hops(const char *folder)
{
    return has_file(folder, "micro-dependency");
}
static bool has_hop_partners(const char *folder)
{
    return has_file(folder, "micro-dependency-fan");
}
static bool has_hop_bytes(const char *folder)
{
    return has_file(folder, "micro-dependency-bytes");
}
static bool has_layers(const char *folder)
{
    return has_file(folder, "micro-megakernel");
}
static bool has_residency(const char *folder)
{
    return has_file(folder, "micro-residency");
}

static bool has_litmus(const char *folder)
{
    return has_file(folder, "micro-litmus");
}

static bool has_weak_seeds(const char *folder)
{
    return has_file(folder, "weak-memory/seeds");
}
static bool has_weak_cost(const char *folder)
{
    return has_file(folder, "weak-memory/cost");
}

static bool has_instructions(const char *folder)
{
    return has_file(folder, "counts/machine-instructions");
}

/* Any result will do. */
static bool has_claims(const char *folder)
{
    static const char *const names[] = {"micro-barrier", "micro-latency", "micro-producer-consumer", "study"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_file(folder, names[i]))
            return true;
    return false;
}

const struct tables all_tables[] = {
    {"claims", "What the papers claim, and what holds here", has_claims, print_claims},
    {"causes", "What the papers print and their GPUs' machines do not, and why", has_causes, print_causes},
    {"micro", "What a barrier costs", has_micro, print_micro},
    {"cost", "What a barrier or a hop costs with a block on every multiprocessor", has_micro,
     print_cost_of_all},
    {"steps", "In algorithms", has_steps, print_steps},
    {"best", "Few barriers beside the libraries", has_best, print_best},
    {"fine-grained", "Between warps and tiles", has_fine_grained, print_fine_grained},
    {"hops", "A hop from block to block", has_hops, print_hops},
    {"hop-partners", "One block and its partners", has_hop_partners, print_hop_partners},
    {"hop-bytes", "Hops with more data", has_hop_bytes, print_hop_bytes},
    {"layers", "A chain of layers in tiles", has_layers, print_layers},
    {"residency", "While others hold multiprocessors", has_residency, print_residency},
    {"shuffle", "Shuffles and shared memory", has_shuffle, print_shuffle},
    {"sum", "Sums with few barriers", has_sum, print_sum},
    {"litmus", "Outcomes of litmus tests", has_litmus, print_litmus},
    {"weak-memory-seeds", "Weak memory: every barrier, lock and channel, many seeds", has_weak_seeds,
     print_weak_seeds},
    {"weak-memory-cost", "Weak memory: what it costs", has_weak_cost, print_weak_cost},
    {"bounds", "The bounds of Nakano 2013, Table 1", has_study, print_bounds},
    {"components", "Components", has_components, print_components},
    {"instructions", "Instructions, counted on the GPU and on the machine", has_instructions,
     print_instructions},
    {"fidelity", "Predicted and measured", has_fidelity, print_fidelity},
};
const size_t all_tables_count = sizeof all_tables / sizeof *all_tables;
