#include "report/tables.h"
#include "report/causes.h"
#include "report/cost.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>

const struct tables all_tables[] = {
    {"claims", "What the papers claim, and what holds here",
     "micro-barrier|micro-latency|micro-producer-consumer|study", NULL, print_claims},
    {"causes", "What the papers print and their GPUs' machines do not, and why", NULL, has_causes,
     print_causes},
    {"micro", "What a barrier costs", "micro-barrier", NULL, print_micro},
    {"cost", "What a barrier or a hop costs with a block on every multiprocessor", NULL, has_cost_of_all,
     print_cost_of_all},
    {"steps", "In algorithms", "fft|swat|bitonic micro-barrier", NULL, print_steps},
    {"best", "Few barriers beside the libraries", "fft@few|bitonic@few|sum@one-pass-graph", NULL, print_best},
    {"fine-grained", "Between warps and tiles", "micro-producer-consumer nw nw@widest", NULL,
     print_fine_grained},
    {"hops", "A hop from block to block", "micro-dependency", NULL, print_hops},
    {"hop-partners", "One block and its partners", "micro-dependency@fan", NULL, print_hop_partners},
    {"hop-bytes", "Hops with more data", "micro-dependency@bytes", NULL, print_hop_bytes},
    {"layers", "A chain of layers in tiles", "micro-megakernel", NULL, print_layers},
    {"residency", "While others hold multiprocessors", "micro-residency", NULL, print_residency},
    {"shuffle", "Shuffles and shared memory",
     "swat-batch:shuffle pairhmm:shuffle micro-latency micro-throughput", NULL, print_shuffle},
    {"sum", "Sums with few barriers", "sum micro-barrier:counter", NULL, print_sum},
    {"litmus", "Outcomes of litmus tests", "micro-litmus", NULL, print_litmus},
    {"weak-memory-seeds", "Weak memory: every barrier, lock and channel, many seeds", "weak-memory/seeds",
     NULL, print_weak_seeds},
    {"weak-memory-cost", "Weak memory: what it costs", "weak-memory/cost", NULL, print_weak_cost},
    {"bounds", "The bounds of Nakano 2013, Table 1", "study", NULL, print_bounds},
    {"components", "Components", "micro-components", NULL, print_components},
    {"instructions", "Instructions, counted on the GPU and on the machine", "counts/machine-instructions",
     NULL, print_instructions},
    {"fidelity", "Predicted and measured", "predicted/micro-components", NULL, print_fidelity},
};
const size_t all_tables_count = sizeof all_tables / sizeof *all_tables;

/* NAME of a result or another file, or NAME:VARIANT of a result that has it. */
static bool has_one(const char *folder, const char *need)
{
    char name[64];
    const char *variant = strchr(need, ':');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(need, ":"), need);
    if (!variant)
        return has_file(folder, name);
    struct result *r = result_open(folder, name);
    bool has = r && result_has(r, variant + 1);
    result_close(r);
    return has;
}

static bool has_any(const char *folder, char *needs)
{
    char *rest;
    for (char *need = strtok_r(needs, "|", &rest); need; need = strtok_r(NULL, "|", &rest))
        if (has_one(folder, need))
            return true;
    return false;
}

bool table_is_possible(const struct tables *table, const char *folder)
{
    char needs[256], *rest;
    if (table->has)
        return table->has(folder);
    snprintf(needs, sizeof needs, "%s", table->needs);
    for (char *need = strtok_r(needs, " ", &rest); need; need = strtok_r(NULL, " ", &rest))
        if (!has_any(folder, need))
            return false;
    return true;
}
