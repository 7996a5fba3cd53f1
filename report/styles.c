#include "report/styles.h"
#include "harness/methods.h"

#include <stddef.h>
#include <string.h>

/* What is no method of the register. */
static const struct {
    const char *variant;
    struct style style;
} others[] = {
    {"bound", {"#999999", 0}},
    {"atomic-part", {"#d62728", 6}},
    {"syncthreads-part", {"#17becf", 0}},
    {"dataflow", {"#bcbd22", 15}},
    {"dataflow-blocked", {"#8c564b", 15}},
    {"syncthreads", {"#17becf", 1}},
    {"atom-lock", {"#d62728", 6}},
    {"warp-barrier", {"#ff7f0e", 5}},
    {"shared-lock", {"#9c5a3c", 7}},
    {"tiny-lock", {"#2ca02c", 9}},
    {"warp-vote", {"#98b34a", 11}},
    {"packed-word", {"#1f77b4", 8}},
    {"mbarrier", {"#9467bd", 13}},
    {"data-parallel", {"#7f7f7f", 4}},
    {"shuffle", {"#1f77b4", 2}},
    {"shared", {"#d62728", 7}},
    {"shared+copies", {"#ff9896", 6}},
    {"shuffle+copies", {"#9ecae1", 3}},
    {"blocked", {"#2ca02c", 5}},
    {"blocked+copies", {"#98df8a", 4}},
    {"counter-split", {"#f7b6d2", 2}},
    {"courier-split", {"#b5651d", 14}},
    {"grid-sync-split", {"#ffbb78", 2}},
    {"neighbours", {"#2ca02c", 4}},
    {"neighbours-split", {"#98df8a", 5}},
    {"fence-add", {"#000000", 7}},
    {"acquire-each", {"#7f7f7f", 6}},
    {"store-release", {"#d62728", 8}},
    {"out-neighbours", {"#9ecae1", 4}},
    {"out-apart", {"#1f77b4", 5}},
    {"in-neighbours", {"#98df8a", 4}},
    {"in-apart", {"#2ca02c", 5}},
    {"token", {"#9467bd", 12}},
    {"packed-words", {"#ff7f0e", 9}},
    {"packed-16", {"#8c564b", 11}},
    {"sentinel", {"#e377c2", 13}},
    {"tma-store", {"#17becf", 2}},
    {"tma-both", {"#1f77b4", 3}},
    {"cluster-barrier", {"#2ca02c", 1}},
    {"cluster-st-async", {"#bcbd22", 15}},
    {"graph-pdl", {"#a05fd0", 13}},
    {"tile-counters", {"#1f77b4", 5}},
    {"tile-words", {"#2ca02c", 9}},
    {"host", {"#7f7f7f", 4}},
    {"events", {"#000000", 5}},
    {"graph", {"#5b3a8c", 12}},
    {"nccl", {"#2ca02c", 8}},
    {"nccl-graph", {"#98df8a", 9}},
    {"leaders", {"#e377c2", 3}},
    {"leaders-courier", {"#b5651d", 14}},
    {"leaders-between", {"#a6761d", 15}},
    {"one-gpu", {"#000000", 7}},
    {"nccl-lsa", {"#1b9e77", 10}},
    {"inboxes", {"#1f77b4", 2}},
    {"counter-each", {"#8c564b", 6}},
    {"one-counter", {"#d62728", 7}},
    {"leaders-no-acquire", {"#f7b6d2", 3}},
    {"leaders-no-release", {"#c49c94", 6}},
    {"leaders-gpu-scope", {"#bcbd22", 4}},
    {"sum-simple", {"#d62728", 5}},
    {"sum-tree", {"#1f77b4", 5}},
    {"sum-simple-tree", {"#2ca02c", 5}},
    {"sum-hybrid", {"#000000", 5}},
    {"sum-last-block", {"#9467bd", 5}},
    {"sum-dataflow", {"#bcbd22", 5}},
    {"prefix-dataflow", {"#bcbd22", 6}},
    {"sum-cub", {"#ff7f0e", 5}},
    {"prefix-simple", {"#d62728", 6}},
    {"prefix-tree", {"#1f77b4", 6}},
    {"prefix-simple-tree", {"#2ca02c", 6}},
    {"prefix-hybrid", {"#000000", 6}},
    {"prefix-cub", {"#ff7f0e", 6}},
    /* files, of predictions beside measurements */
    {"micro-barrier", {"#1f77b4", 7}},
    {"micro-dependency", {"#ff7f0e", 7}},
    {"micro-dependency@fan", {"#2ca02c", 7}},
    {"micro-dependency@bytes", {"#d62728", 7}},
    {"micro-latency", {"#9467bd", 7}},
    {"micro-megakernel", {"#8c564b", 7}},
    {"micro-producer-consumer", {"#e377c2", 7}},
    {"micro-split", {"#7f7f7f", 7}},
    {"micro-stencil", {"#bcbd22", 7}},
    {"micro-throughput", {"#17becf", 7}},
    {"fft@sizes", {"#1f77b4", 5}},
    {"fft@few", {"#ff7f0e", 5}},
    {"bitonic@sizes", {"#2ca02c", 5}},
    {"bitonic@few", {"#d62728", 5}},
    {"swat@sizes", {"#9467bd", 5}},
    {"swat@sizes-sampled", {"#9467bd", 9}},
    {"micro-multi-gpu", {"#000000", 7}},
    {"sum", {"#8c564b", 5}},
    {"nw", {"#e377c2", 5}},
    {"nw@widest", {"#7f7f7f", 5}},
    {"pairhmm", {"#bcbd22", 5}},
    {"swat-batch", {"#17becf", 5}},
};

static const struct style *find(const char *name, size_t length)
{
    static struct style found;
    for (size_t i = 0; i < SYNC_METHODS; i++)
        if (strlen(sync_variants[i].name) == length && strncmp(sync_variants[i].name, name, length) == 0) {
            found = (struct style){sync_methods[i].color, sync_methods[i].point};
            return &found;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].variant) == length && strncmp(others[i].variant, name, length) == 0)
            return &others[i].style;
    return NULL;
}

struct style style_of(const char *variant)
{
    const struct style *style = find(variant, strlen(variant));
    const char *plus = strrchr(variant, '+');
    /* sum-tree+counter looks as sum-tree, shuffle+counter as counter: by what the figure compares. */
    if (!style && plus && strchr(variant, '-') && strchr(variant, '-') < plus)
        style = find(variant, (size_t)(plus - variant));
    if (!style && plus)
        style = find(plus + 1, strlen(plus + 1));
    return style ? *style : (struct style){"#1f77b4", 1};
}
