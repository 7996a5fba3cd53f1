/*
 * Includes every header of sync/ and uses something of each header, like the kernels of another project.
 * tests/headers compiles this file for all architectures. It also links two copies of it, each of which
 * defines the macro UNIT as a different name.
 */
#include ALL_HEADERS

using namespace gpusync;

template <class Barrier>
static __global__ void meet(gpusync_grid_barrier memory)
{
    Barrier barrier;
    barrier.begin(memory);
    barrier.sync();
    barrier.end();
}

static __global__ void meet_in_time(gpusync_grid_barrier memory, unsigned *late)
{
    Counter barrier;
    barrier.begin(memory);
    barrier.arrive();
    if (!barrier.wait_for(1000))
        *late = 1;
    barrier.end();
}

template <class Barrier>
static __global__ void meet_across(gpusync_multi_gpu_barrier memory)
{
    Barrier barrier;
    barrier.begin(memory);
    barrier.arrive();
    barrier.wait();
    barrier.end();
}

template <class T>
static __global__ void add_across(gpusync_all_reduce memory, float *numbers)
{
    AllReduce<T, 2> sum;
    sum.begin(memory);
    sum.send([&](unsigned) { return T(); });
    if (sum.wait_for(1000))
        sum.receive([&](unsigned i, T) { numbers[i] = 1; });
    sum.end();
}

static __global__ void hand_on(packed_word *packed, full_empty_word *word, unsigned *counter)
{
    __shared__ unsigned mutex;
    packed_word_publish(packed, 7, 1);
    full_empty_fill(word, packed_word_await(packed, 1));
    spin_critical_section(&mutex, [&] { full_empty_leave_empty(word); });
    reduce_add_release(counter, load_relaxed_system(counter));
    named_barrier_sync(1, 64);
    hop_send(counter);
    hop_receive(counter, gridDim.x);
}

static __global__ void hop_on(hop_packed *packed, uint4 *sentinel)
{
    hop_data data = hop_packed_await(packed, 1);
    hop_packed_publish(packed + 1, data, 1);
    hop_sentinel_store(&sentinel[2], hop_sentinel_await(&sentinel[1]));
    hop_sentinel_clear(&sentinel[0]);
}

#if GPUSYNC_HAS_MBARRIERS
#define USES_MBARRIERS(...) __VA_ARGS__
#else
#define USES_MBARRIERS(...)
#endif
static __global__ void meet_in_block(int *out)
{
    __shared__ unsigned long long barrier;
    USES_MBARRIERS(mbarrier_init(&barrier, blockDim.x); __syncthreads(); mbarrier_arrive(&barrier);
                   mbarrier_wait(&barrier, 0);)
    out[threadIdx.x] = barrier != 0;
}

static __global__ void convert(const float *, float, unsigned long long, int *) {}

cudaError_t UNIT(gpusync_grid_barrier memory, gpusync_multi_gpu_barrier across, float *numbers)
{
    void (*const kernels[])(gpusync_grid_barrier) = {meet<GridBarrier>,     meet<Courier>,
                                                     meet<GridSync>,        meet<LockBased<NO_FENCE>>,
                                                     meet<Tree<ONE_FENCE>>, meet<LockFree<LEADER_FENCES>>,
                                                     meet<ReleaseAcquire>,  meet<Neighbours>};
    for (auto kernel : kernels)
        gpusync_launch(kernel, 2, 64, 0, 0, memory);
    gpusync_launch(meet_in_time, 2, 64, 0, 0, memory, (unsigned *)nullptr);
    gpusync_launch(meet_across<MultiGpu>, 2, 64, 0, 0, across);
    gpusync_launch(meet_across<MultiGpuCourier>, 2, 64, 0, 0, across);
    gpusync_launch(add_across<float>, 2, 64, 0, 0, gpusync_all_reduce{}, numbers);
    gpusync_launch(add_across<bfloat16_pair>, 2, 64, 0, 0, gpusync_all_reduce{}, numbers);
    gpusync_launch(meet_in_block, 2, 64, 0, 0, nullptr);
    gpusync_launch(hand_on, 2, 64, 0, 0, nullptr, nullptr, nullptr);
    gpusync_launch(hop_on, 2, 64, 0, 0, nullptr, nullptr);
    /* gpusync_launch must convert the arguments as <<<>>> does */
    return gpusync_launch(convert, dim3(2), 64, 0, 0, numbers, 1, 2u, nullptr);
}
