/* The kernel and the variants of micro-all-reduce. */
#ifndef MICRO_ALL_REDUCE_VARIANTS_CUH
#define MICRO_ALL_REDUCE_VARIANTS_CUH

#include "harness/variants.h"
#include "micro/gpus/all_reduce_others.cuh"

/* ---- The kernel ---- */

struct rounds_of_gpu {
    unsigned me, rounds;
    unsigned *wrong[GPUSYNC_MOST_GPUS]; /* for each GPU, the number of wrong sums that it has found */
    /* for each GPU, the numbers that NCCL adds up, followed by the sums */
    unsigned *vector[GPUSYNC_MOST_GPUS];
};

/* Executes all rounds. A block belongs to a member (a GPU); several members may share a grid, as on the
 * memory machine. */
template <class Reduce, unsigned GPUS, bool SHARE>
static __global__ void all_reduce_rounds(rounds_of_gpu r, gpusync_all_reduce memory)
{
    Reduce reduce;
    unsigned gpu = r.me + block_in_grid() / memory.blocks, wrong = 0;
    reduce.begin_as(memory, gpu, block_in_grid() % memory.blocks);
    for (unsigned i = 0; i < r.rounds; i++) {
        reduce.send([&](unsigned at) { return all_reduce_value(gpu, reduce.round, at); });
        auto look = [&](unsigned at, unsigned sum) {
            wrong += sum != all_reduce_sum<GPUS>(reduce.round, at);
        };
        if constexpr (SHARE)
            reduce.receive_share(look);
        else
            reduce.receive(look);
    }
    reduce.end();
    if (wrong)
        atomicAdd(r.wrong[gpu], wrong);
}

/* ---- Variants ---- */

enum {
    NONE,
    PACKED,
    PACKED_TIME_OUTS,
    PHASE,
    PACKED_SHARE,
    PHASE_SHARE,
    FLAG,
    FLAG_NO_RELEASE,
    FLAG_NO_ACQUIRE,
    ONE_SLOT,
    ONLY_RECEIVES,
    NCCL_GRAPH,
    NCCL_DEVICE,
    NCCL_DEVICE_SHARE,
    NVSHMEM_GRAPH,
    NVSHMEM_DEVICE,
    WAYS
};

#define IN_KERNEL .resident = true, .capability = 70
#define ON_MACHINE .special = "the memory machine: on a GPU its blocks may wait for ever"
static const struct variant ways[WAYS] = {
    VARIANT(NONE, "none", "no exchange: making the numbers and checking the sums", IN_KERNEL),
    VARIANT(PACKED, "packed", "each number beside its round in 64 bits (sync/all_reduce.cuh)",
            .ordered = true, IN_KERNEL),
    VARIANT(PACKED_TIME_OUTS, "packed-time-outs", "packed, by repeated waits with a time-out",
            .ordered = true, IN_KERNEL),
    VARIANT(PHASE, "phase-bit", "31 bits of a number and a bit that tells the round", .ordered = true,
            IN_KERNEL),
    VARIANT(PACKED_SHARE, "packed-share", "packed; each block receives only its share of the sum",
            .ordered = true, IN_KERNEL),
    VARIANT(PHASE_SHARE, "phase-bit-share", "phase-bit; each block receives only its share of the sum",
            .ordered = true, IN_KERNEL),
    VARIANT(FLAG, "flag", "plain words, a release fence, and a flag of each block", .ordered = true,
            IN_KERNEL),
    VARIANT(FLAG_NO_RELEASE, "flag-no-release", "flag, without the release fence", IN_KERNEL),
    VARIANT(FLAG_NO_ACQUIRE, "flag-no-acquire", "flag, without the acquire fence", IN_KERNEL),
    VARIANT(ONE_SLOT, "one-slot", "packed, with one slot for all rounds", IN_KERNEL, ON_MACHINE),
    VARIANT(ONLY_RECEIVES, "only-receives", "packed, and the last block of each GPU sends nothing", IN_KERNEL,
            ON_MACHINE),
    VARIANT(NCCL_GRAPH, "nccl-graph", "NCCL's all-reduce, 100 of them as one CUDA graph", .ordered = true,
            .special = "NCCL when it was built, and a GPU for each member"),
    VARIANT(NCCL_DEVICE, "nccl-device",
            "NCCL's device API: plain words into all windows, a barrier of the grid and NCCL's between GPUs",
            .ordered = true, .resident = true, .waits = true, .capability = 70,
            .special = "NCCL 2.28 when it was built, and a GPU for each member"),
    VARIANT(NCCL_DEVICE_SHARE, "nccl-device-share",
            "nccl-device, by NCCL's barrier alone; each block receives only its share", .ordered = true,
            .resident = true, .waits = true, .capability = 70,
            .special = "NCCL 2.28 when it was built, and a GPU for each member"),
    VARIANT(NVSHMEM_GRAPH, "nvshmem-graph",
            "NVSHMEM's all-reduce, called by the host, 100 of them as one CUDA graph", .ordered = true,
            .special = "NVSHMEM when it was built, and several GPUs, one for each member"),
    VARIANT(NVSHMEM_DEVICE, "nvshmem-device",
            "NVSHMEM's all-reduce by one block of each GPU, and a barrier of the grid", .ordered = true,
            .resident = true, .waits = true, .capability = 70,
            .special = "NVSHMEM when it was built, and several GPUs, one for each member"),
};

typedef void (*all_reduce_kernel)(rounds_of_gpu, gpusync_all_reduce);

template <unsigned GPUS>
static all_reduce_kernel kernel_for(int way)
{
    switch (way) {
    case NONE:
        return all_reduce_rounds<NoExchange<GPUS>, GPUS, false>;
    case PACKED:
        return all_reduce_rounds<AllReduce<unsigned, GPUS>, GPUS, false>;
    case PACKED_TIME_OUTS:
        return all_reduce_rounds<ReduceTimesOut<GPUS>, GPUS, false>;
    case PHASE:
        return all_reduce_rounds<AllReduce<unsigned, GPUS, PhaseUnit<unsigned>>, GPUS, false>;
    case PACKED_SHARE:
        return all_reduce_rounds<AllReduce<unsigned, GPUS>, GPUS, true>;
    case PHASE_SHARE:
        return all_reduce_rounds<AllReduce<unsigned, GPUS, PhaseUnit<unsigned>>, GPUS, true>;
    case FLAG:
        return all_reduce_rounds<FlagReduce<GPUS>, GPUS, false>;
    case FLAG_NO_RELEASE:
        return all_reduce_rounds<FlagReduce<GPUS, false, true>, GPUS, false>;
    case FLAG_NO_ACQUIRE:
        return all_reduce_rounds<FlagReduce<GPUS, true, false>, GPUS, false>;
    case ONE_SLOT:
        return all_reduce_rounds<OneSlot<GPUS>, GPUS, false>;
    case ONLY_RECEIVES:
        return all_reduce_rounds<OnlyReceives<GPUS>, GPUS, false>;
    default:
        return NULL;
    }
}

static all_reduce_kernel kernel_of(int way, unsigned gpus)
{
    switch (gpus) {
    case 1:
        return kernel_for<1>(way);
    case 2:
        return kernel_for<2>(way);
    case 3:
        return kernel_for<3>(way);
    case 4:
        return kernel_for<4>(way);
    default:
        return kernel_for<8>(way);
    }
}

#endif
