/* Sets up what all experiments with step loops have in common. */
#ifndef HARNESS_STEP_BENCH_CUH
#define HARNESS_STEP_BENCH_CUH

#include "harness/check.h"
#include "harness/experiment.h"
#include "harness/placement.cuh"
#include "harness/steps.cuh"

template <class Step>
struct step_bench {
    steps_plan<Step> plan;
    gpusync_grid_barrier memory;

    void prepare(const struct point *p, const Step &step, int steps, size_t shared_bytes = 0)
    {
        CHECK(gpusync_grid_barrier_create(&memory, p->blocks));
        launch_shape shape = {p->blocks, p->threads, shared_bytes, false, false};
        plan = steps_prepare((sync_id)p->variant->id, step, steps, shape, memory);
    }

    void release()
    {
        steps_release(&plan);
        CHECK(gpusync_grid_barrier_destroy(&memory));
    }
};

template <class Step>
static int step_resident_blocks(const struct variant *variant, unsigned threads, long long, int sm_count)
{
    return steps_resident_blocks<Step>((sync_id)variant->id, threads, 0, sm_count);
}

/* largest number of variants that an experiment has besides its step loops */
static const int most_beyond_steps = 4;

/* Fills in the variants of an experiment and what all experiments with step loops have in common. The
 * variants are the methods of methods.def, followed by `others`, which are not step loops (a library, for
 * example) and get the ids from SYNC_METHODS on. */
static inline void make_step_experiment(struct experiment *e, const struct variant *others, int count = 1)
{
    static struct variant variants[SYNC_METHODS + most_beyond_steps];
    for (int i = 0; i < SYNC_METHODS; i++)
        variants[i] = sync_variants[i];
    for (int i = 0; i < count; i++) {
        variants[SYNC_METHODS + i] = others[i];
        variants[SYNC_METHODS + i].id = SYNC_METHODS + i;
    }
    e->variants = variants;
    e->variant_count = SYNC_METHODS + count;
    e->family = FAMILY_STEPS;
    e->launches.sweep = SWEEP_9_TO_30;
    e->gpu_runs = 3;
    /* These methods are measured only if --variant names them, because the micro-benchmark shows that another
     * method is always better. The papers leave them out, too. A copy is not a method. */
    e->left_out = "cpu-explicit,lock-free-one-checker,copy";
    e->describe = describe_placement;
}

#endif
