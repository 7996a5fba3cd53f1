/* The variants of sums and prefix sums: every algorithm with every way to synchronise. */
#ifndef SUM_VARIANTS_CUH
#define SUM_VARIANTS_CUH

#include "harness/barriers.cuh"
#include "harness/variants.h"

#include <stdio.h>

/* The tasks. A variant is a task, an algorithm and a method by which its threads wait for each other: a
 * sync_id (a barrier over the grid) or one of IN_ONE_BLOCK, IN_ONE_WARP, ... */
enum task { SUM, PREFIX, CONTIGUOUS_ACCESS, FIGURE_2, COPY, TASKS };
enum { IN_ONE_BLOCK = SYNC_METHODS, IN_ONE_WARP, BY_CUB, BY_LAST_BLOCK, BY_DATAFLOW, METHODS };

struct identity {
    int task, algorithm, method;
};

static int id_of(identity i)
{
    return (i.task * 4 + i.algorithm) * METHODS + i.method;
}

static identity identify(const struct variant *v)
{
    return {v->id / METHODS / 4, v->id / METHODS % 4, v->id % METHODS};
}

static struct variant variants[TASKS * 4 * METHODS];
static char names[TASKS * 4 * METHODS][96];
static int variant_count;

static void add_variant(identity id, const char *name, const char *with, const char *summary,
                        const struct variant *like)
{
    snprintf(names[variant_count], sizeof *names, "%s%s", name, with);
    struct variant *v = &variants[variant_count];
    if (like)
        *v = *like;
    v->id = id_of(id);
    v->name = names[variant_count++];
    v->summary = summary;
    v->ordered = true;
    v->unchecked = id.task > PREFIX;
}

static void make_variants(void)
{
    static const char *const algorithms[] = {"simple", "tree", "simple-tree", "hybrid"};
    static const char *const tasks[] = {"sum", "prefix"};
    static const struct variant on_gpu = {.special = "a GPU: CUB is a library for it"};
    static const char warps[] = "warps of 32 threads, whose shuffles it adds up with";
    static const struct variant one_pass[] = {{.capability = 70, .special = warps},
                                              {.resident = true, .capability = 70, .special = warps}};
    static const struct variant copies = {.special = "a GPU, whose memory it measures"};
    static const struct variant on_machine = {.special = "the memory machine, which counts its time units"};
    for (int task = SUM; task <= PREFIX; task++) {
        char name[48];
        for (int a = 0; a < 4; a++) {
            snprintf(name, sizeof name, "%s-%s", tasks[task], algorithms[a]);
            add_variant({task, a, IN_ONE_BLOCK}, name, "", "in one block, with __syncthreads", NULL);
        }
        snprintf(name, sizeof name, "%s-one-warp", tasks[task]);
        add_variant({task, SUM_TREE, IN_ONE_WARP}, name, "", "Tree by one warp alone", NULL);
        for (int a = 0; a < 4; a++)
            for (int method = 0; method < SYNC_METHODS; method++) {
                char with[32];
                snprintf(name, sizeof name, "%s-%s", tasks[task], algorithms[a]);
                snprintf(with, sizeof with, "+%s", sync_variants[method].name);
                if (sync_variants[method].ordered)
                    add_variant({task, a, method}, name, with, sync_variants[method].summary,
                                &sync_variants[method]);
            }
        if (task == SUM)
            add_variant({task, 0, BY_LAST_BLOCK}, "sum-last-block", "",
                        "one pass; the block that is last adds up", &one_pass[SUM]);
        add_variant({task, 0, BY_DATAFLOW}, tasks[task], "-dataflow",
                    "one pass; blocks hand over parts that say themselves that they are there",
                    &one_pass[task]);
        add_variant({task, 0, BY_CUB}, tasks[task], "-cub", "CUB's DeviceReduce or DeviceScan", &on_gpu);
    }
    add_variant({COPY, 0, BY_CUB}, "copy", "",
                "a copy of the numbers: what prefix sums take at least where memory decides", &copies);
    add_variant({CONTIGUOUS_ACCESS, 0, IN_ONE_BLOCK}, "contiguous-access", "",
                "section 3 (Lemma 1), four words a thread", &on_machine);
    add_variant({CONTIGUOUS_ACCESS, 0, IN_ONE_WARP}, "contiguous-access", "-warp",
                "section 3 (Lemma 1), by one warp", &on_machine);
    add_variant({FIGURE_2, 0, IN_ONE_BLOCK}, "figure-2", "", "the paper's example of requests", &on_machine);
}

#endif
