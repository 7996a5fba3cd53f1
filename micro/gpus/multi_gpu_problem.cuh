/* The common part of every algorithm across GPUs: the GPUs of a point, its plan, and a variant on one GPU
 * alone, for comparison */
#ifndef MICRO_MULTI_GPU_PROBLEM_CUH
#define MICRO_MULTI_GPU_PROBLEM_CUH

#include "harness/experiment.h"
#include "harness/memory.h"
#include "micro/gpus/multi_gpu_steps.cuh"

/* The id of the variant that solves the whole problem on one GPU; it follows the ids of the methods across
 * GPUs. */
enum { ONE_GPU = MULTI_GPU_WAYS };

static int multi_gpu_count; /* value of --gpus */

static inline unsigned gpus_of(const struct variant *v)
{
    return v->id == ONE_GPU ? 1 : (unsigned)multi_gpu_count;
}

template <class Step>
struct multi_gpu_problem {
    struct gpus gpus;
    multi_gpu_plan<Step> plan;

    /* Returns the method across GPUs that a variant uses. With one GPU, all steps stay in that GPU's
     * memory. */
    static int way_of(const struct variant *v) { return v->id == ONE_GPU ? BY_LEADERS_BETWEEN : v->id; }

    /* Opens the GPUs of a point and returns their number. After this call, plan.on_gpu() works. */
    unsigned open(const struct point *p)
    {
        gpus_open(gpus_of(p->variant), &gpus);
        plan = {};
        plan.gpus = &gpus;
        return gpus.count;
    }

    /* Prepares the plan to execute `steps` steps, with a barrier between every two. The caller has set
     * plan.step before. */
    void prepare(const struct point *p, int steps)
    {
        plan.way = way_of(p->variant);
        plan.kernel = multi_gpu_kernel_of<Step>(plan.way);
        plan.counts = {steps, steps - 1};
        plan.blocks = p->blocks;
        plan.threads = p->threads;
        if (uses_nccl(plan.way))
            nccl_open(&gpus);
        plan.prepare();
    }

    void release()
    {
        plan.release();
        if (uses_nccl(plan.way))
            nccl_close();
        gpus_close(&gpus);
    }
};

template <class Step>
static int multi_gpu_problem_resident_blocks(const struct variant *v, unsigned threads, long long,
                                             int sm_count)
{
    return multi_gpu_resident_blocks(multi_gpu_kernel_of<Step>(multi_gpu_problem<Step>::way_of(v)), threads,
                                     sm_count, gpus_of(v));
}

/* Sets the fields that all these experiments have in common; the experiment adds its problem. */
template <class Step>
static void make_multi_gpu_experiment(struct experiment *e)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("gpus", 1, GPUSYNC_MOST_GPUS, "2", &multi_gpu_count,
                         "GPUs that share the problem, except in one-gpu"),
        {}};
    static struct variant variants[MULTI_GPU_WAYS + 1];
    for (int i = 0; i < MULTI_GPU_WAYS; i++)
        variants[i] = multi_gpu_ways[i];
    variants[ONE_GPU] = {.id = ONE_GPU,
                         .name = "one-gpu",
                         .summary = "the whole problem on one GPU, in one launch, with a barrier of its own",
                         .ordered = true,
                         .resident = true,
                         .capability = 70};
    e->variants = variants;
    e->variant_count = MULTI_GPU_WAYS + 1;
    e->can_do = multi_gpu_can_do;
    e->gpu_runs = 3;
    e->options = options;
    e->launches.threads = "512";
    e->launches.sweep = SWEEP_ALL_MULTIPROCESSORS;
    e->launches.resident_blocks = multi_gpu_problem_resident_blocks<Step>;
}

#endif
