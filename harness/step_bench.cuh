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

/* Fills in what all experiments with step loops have in common. The first SYNC_METHODS of the `count`
 * variants become the methods of methods.def, and the others, which are no step loops (a library, for
 * example), get the ids from SYNC_METHODS on. The variants must live as long as the experiment. */
static inline void fill_step_experiment(struct experiment *e, struct variant *variants, int count)
{
    for (int i = 0; i < SYNC_METHODS; i++)
        variants[i] = sync_variants[i];
    for (int i = SYNC_METHODS; i < count; i++)
        variants[i].id = i;
    e->variants = variants;
    e->variant_count = count;
    e->family = FAMILY_STEPS;
    e->race_free = true;
    e->launches.sweep = SWEEP_9_TO_30;
    e->gpu_runs = 3;
    /* These methods are measured only if --variant names them, because the micro-benchmark shows that another
     * method is always better. The papers leave them out, too. A copy is no method. */
    e->left_out = "cpu-explicit,lock-free-one-checker,copy";
    e->describe = describe_placement;
}

/* An experiment whose only variants are step loops. */
static inline void make_step_experiment(struct experiment *e)
{
    static struct variant variants[SYNC_METHODS];
    fill_step_experiment(e, variants, SYNC_METHODS);
}

/* An experiment that has other variants after its step loops. */
template <int count>
static inline void make_step_experiment(struct experiment *e, const struct variant (&others)[count])
{
    static struct variant variants[SYNC_METHODS + count];
    for (int i = 0; i < count; i++)
        variants[SYNC_METHODS + i] = others[i];
    fill_step_experiment(e, variants, SYNC_METHODS + count);
}

#endif
