/*
 * Tests that the fences of the published barriers order the blocks' data by what each of them acquires and
 * releases. As fence.sc they order more in any run: the fences of two blocks come one after the other, and
 * the machine shows no run without such an order (docs/weak-memory.md). So here __threadfence() is
 * fence.acq_rel; two such fences are not ordered unless something else orders them.
 */
#include "harness/device.h"
#include "harness/launch.cuh"

#define __threadfence() asm volatile("fence.acq_rel.gpu;" ::: "memory")

#include "base/failure.h"
#include "harness/options.h"
#include "machine/machine.h"
#include "tests/check.h"
#include "tests/trial.cuh"

enum { RUNS = 4, ROUNDS = 6, THREADS = 40 };

/* Runs the barrier under several seeds of the schedules and under weak memory. Five blocks of a tree are two
 * groups of two blocks and one of a single block. */
template <class Barrier>
static void check_barrier(sync_id method, const char *name, machine_memory memory, unsigned blocks)
{
    trial_shape t = {{blocks, blocks}, THREADS, 1, START_ZERO};
    machine_set_memory(memory);
    machine_collect_races(true, false);
    tally runs = run_seeds<Barrier>(t, method, ROUNDS, RUNS, ANY_SCHEDULE);
    const int wrong = runs.wrong + runs.deadlocks;
    check(wrong == 0 && machine_races() == 0,
          "%s orders the data of %u blocks by its fences, with %s (%d of %d runs wrong, %zu races)", name,
          blocks, memory == MACHINE_OLDEST ? "the oldest values" : "values by chance", wrong, RUNS,
          machine_races());
}

int main()
{
    set_program_name("machine_fences");
    options options = {};
    options.device = "h100";
    device device;
    open_device(&options, &device);
    static const machine_memory memories[] = {MACHINE_OLDEST, MACHINE_ANY};
    static const unsigned sizes[] = {2, 5};
    for (machine_memory memory : memories)
        for (unsigned blocks : sizes) {
            check_barrier<LockBased<LEADER_FENCES>>(SYNC_LOCK_BASED_FENCE, "lock-based-fence", memory,
                                                    blocks);
            check_barrier<LockFree<LEADER_FENCES>>(SYNC_LOCK_FREE_FENCE, "lock-free-fence", memory, blocks);
            check_barrier<LockFree<LEADER_FENCES, ONE_CHECKS>>(
                SYNC_LOCK_FREE_FENCE, "lock-free-fence by one checker", memory, blocks);
            check_barrier<Tree<LEADER_FENCES>>(SYNC_TREE_FENCE, "tree-fence", memory, blocks);
        }
    machine_set_memory(MACHINE_OLDEST);
    machine_collect_races(true, false);
    trial_shape t = {{2, 2}, THREADS, 1, START_ZERO};
    run_trial<Tree<NO_FENCE>>(t, SYNC_TREE_FENCE, ROUNDS, 1);
    check(machine_races() > 0, "without fences there are races (%zu)", machine_races());
    return checks_done();
}
