// Threads that work together: operations of warps with partial masks, barriers with results, cooperative
// groups, clusters, grids, libcu++'s barriers, pipelines, semaphores, latches and atomics, streams, graphs
// and dependent launches. One file because a failure in one of these is most often a failure in another.
#include "judge.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

namespace cg = cooperative_groups;
// ---- warps ----

__global__ void warps(unsigned *out)
{
    unsigned t = threadIdx.x, lane = t % 32;
    out += t * 16;
    if (lane % 3 == 1) { // lanes 1, 4, ... 31
        const unsigned mask = 0x92492492;
        out[0] = __ballot_sync(mask, lane > 10);
        out[1] = __shfl_sync(mask, t * 10, lane == 31 ? 1 : lane + 3);
        out[2] = __reduce_add_sync(mask, lane);
        out[3] = (unsigned)__all_sync(mask, lane) + 2 * (unsigned)__any_sync(mask, lane == 5);
        out[4] = __match_any_sync(mask, lane / 8);
    } else if (lane < 16) {
        const unsigned mask = 0xffffu & ~0x92492492u;
        out[0] = __ballot_sync(mask, lane & 1);
        out[1] = __shfl_down_sync(mask, t, lane == 14 || lane == 15 ? 0 : lane % 3 == 0 ? 2 : 1);
        out[2] = __reduce_max_sync(mask, lane ^ 5);
        int all;
        unsigned alike = __match_all_sync(mask, t / 16, &all);
        out[3] = alike + (unsigned)all;
        __syncwarp(mask);
        out[4] = __reduce_xor_sync(mask, 1u << lane);
    } else {
        unsigned x = t;
        for (unsigned i = 0; i < lane; i++) // lanes leave this loop one after another
            x = x * 3 + i;
        out[0] = x;
    }
    __syncwarp();
    unsigned sum = t;
    for (int i = 16; i; i /= 2)
        sum += __shfl_xor_sync(~0u, sum, i);
    out[5] = sum;
    out[6] = __shfl_up_sync(~0u, t, 3, 8);
    out[7] = __shfl_sync(~0u, t, lane * 5 % 8, 8);
    double d = __shfl_down_sync(~0u, t * 0.5, 7);
    out[8] = (unsigned)(d * 2);
    out[9] = (unsigned)__reduce_min_sync(~0u, (int)lane - 20);
    out[10] = (unsigned)__syncthreads_count(t % 5 == 2);
    out[11] = (unsigned)__syncthreads_and(t < 1000) + 2 * (unsigned)__syncthreads_or(t == 77);
    out[12] = __popc(__activemask());
    long long l = __shfl_xor_sync(~0u, (long long)t << 33 | lane, 1);
    out[13] = (unsigned)(l >> 33) * 100 + (unsigned)(l & 31);
    if (t < 32)
        asm volatile("bar.sync 5, 64;" ::: "memory");
    else if (t < 64)
        asm volatile("bar.arrive 5, 64;" ::: "memory");
}

static unsigned of_warps(unsigned t, unsigned w)
{
    const unsigned lane = t % 32, warp = t - lane, thirds = 0x92492492, rest = 0xffffu & ~thirds;
    unsigned leaving = t;
    for (unsigned i = 0; i < lane; i++)
        leaving = leaving * 3 + i;
    const unsigned in_thirds[] = {thirds & ~0x7ffu, (warp + (lane == 31 ? 1 : lane + 3)) * 10,
                                  (1 + 31) * 11 / 2, 1, thirds & 0xffu << lane / 8 * 8};
    const unsigned in_rest[] = {rest & 0xaaaa, lane >= 14 ? t : t + (lane % 3 == 0 ? 2 : 1), 11 ^ 5, rest + 1,
                                rest};
    if (w < 5)
        return lane % 3 == 1 ? in_thirds[w] : lane < 16 ? in_rest[w] : w == 0 ? leaving : 0;
    const unsigned of_all[] = {32 * warp + 31 * 16,
                               lane % 8 < 3 ? t : t - 3,
                               warp + lane / 8 * 8 + lane * 5 % 8,
                               lane < 25 ? t + 7 : t,
                               (unsigned)-20,
                               51, // numbers up to 255 that end with 2 or 7
                               3,
                               32,
                               (t ^ 1) * 100 + (lane ^ 1),
                               0,
                               0};
    return of_all[w - 5];
}

// ---- cooperative groups ----

__global__ void groups(unsigned *out)
{
    cg::thread_block block = cg::this_thread_block();
    unsigned t = block.thread_rank();
    out += t * 12;
    auto tile = cg::tiled_partition<8>(block);
    out[0] = cg::reduce(tile, t, cg::plus<unsigned>());
    out[1] = cg::inclusive_scan(tile, t, cg::plus<unsigned>());
    out[2] = tile.shfl(t, tile.size() - 1) * 100 + tile.meta_group_rank();
    auto small = cg::tiled_partition<2>(tile);
    out[3] = small.any(t % 4 == 0) + 2 * small.all(t % 2 == 0) + 4 * small.ballot(1);
    if (t % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        out[4] = group.size() * 100 + group.thread_rank();
        out[5] = cg::reduce(group, t, cg::greater<unsigned>());
        group.sync();
        out[6] = cg::exclusive_scan(group, 2u, cg::plus<unsigned>());
    }
    auto parts = cg::labeled_partition(cg::tiled_partition<32>(block), (int)(t / 3 % 4));
    out[7] = cg::reduce(parts, 1u, cg::plus<unsigned>());
    auto halves = cg::binary_partition(cg::tiled_partition<32>(block), t % 5 == 0);
    out[8] = halves.size();
    auto large = cg::tiled_partition<64>(block); // of two warps
    out[9] = cg::reduce(large, t, cg::plus<unsigned>());
    large.sync();
    out[10] = large.shfl(t * 3, 5);
    cg::invoke_one(block, [&] { out[11] = 1; });
}

static unsigned of_groups(unsigned t, unsigned w)
{
    unsigned first = t / 8 * 8, lane = t % 32, warp = t - lane, thirds = 0, rank = 0, most = 0, same = 0,
             fifths = 0;
    for (unsigned l = warp; l < warp + 32; l++) {
        if (l % 3 == 0)
            thirds++, rank += l < t, most = l;
        same += l / 3 % 4 == t / 3 % 4;
        fifths += l % 5 == 0;
    }
    const unsigned words[] = {first * 8 + 28,
                              (first + t) * (t - first + 1) / 2,
                              (first + 7) * 100 + t / 8,
                              (t / 2 % 2 == 0) + 12u,
                              t % 3 ? 0 : thirds * 100 + rank,
                              t % 3 ? 0 : most,
                              t % 3 ? 0 : 2 * rank,
                              same,
                              t % 5 == 0 ? fifths : 32 - fifths,
                              t / 64 * 4096 + 2016,
                              (t / 64 * 64 + 5) * 3,
                              t == 0};
    return words[w];
}

__global__ void __cluster_dims__(2, 2, 1) clusters(unsigned *out)
{
    __shared__ unsigned own[4];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    cluster.sync();
    if (t < cluster.num_blocks())
        cluster.map_shared_rank(own, t)[rank] = (blockIdx.y * gridDim.x + blockIdx.x) * 10 + t;
    cluster.sync();
    if (t < 4)
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 4 + t] = own[t] + cluster.dim_blocks().y * 1000;
    cluster.barrier_wait(cluster.barrier_arrive());
}

__global__ void grids(unsigned *out, unsigned *sums)
{
    cg::grid_group grid = cg::this_grid();
    for (unsigned round = 1; round <= 3; round++) {
        atomicAdd(&sums[round], (unsigned)grid.thread_rank() * round);
        grid.sync();
        out[grid.thread_rank()] += sums[round];
    }
}

// ---- libcu++ ----

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 3> slots{2};
__device__ cuda::binary_semaphore<cuda::thread_scope_device> lock{1};

__global__ void waits(unsigned *out, unsigned *shared_words, unsigned *turn,
                      cuda::latch<cuda::thread_scope_device> *gate)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 3; i++) {
        lock.acquire();
        shared_words[0]++; // by one thread at a time
        lock.release();
        slots.acquire();
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> inside(shared_words[1]), most(shared_words[2]);
        unsigned now = inside.fetch_add(1, cuda::memory_order_relaxed) + 1;
        most.fetch_max(now, cuda::memory_order_relaxed);
        inside.fetch_sub(1, cuda::memory_order_release);
        slots.release();
    }
    gate->arrive_and_wait();
    out[t] = shared_words[0];
    // each thread waits for the preceding thread
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> next(*turn);
    unsigned seen;
    while ((seen = next.load(cuda::memory_order_acquire)) != t)
        next.wait(seen, cuda::memory_order_acquire);
    shared_words[3] = shared_words[3] * 3 + t;
    next.store(t + 1, cuda::memory_order_release);
    next.notify_all();
}

__global__ void atomics(unsigned *words, unsigned long long *longs, float *floats)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned own[4];
    if (threadIdx.x < 4)
        own[threadIdx.x] = threadIdx.x == 3 ? ~0u : 0;
    __syncthreads();
    atomicAdd(&own[0], t);
    atomicMax(&own[1], t ^ 85);
    atomicOr(&own[2], 1u << t % 32);
    atomicMin(&own[3], t + 9);
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> block(own[0]);
    block.fetch_xor(0, cuda::memory_order_acq_rel);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            words[4 * blockIdx.x + i] = own[i];
    atomicAdd(&longs[0], (unsigned long long)t << 30);
    unsigned long long old = longs[1], seen;
    do
        seen = old, old = atomicCAS(&longs[1], seen, seen + t * 3ull);
    while (old != seen);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> l(longs[2]);
    l.fetch_min(~0ull - t, cuda::memory_order_seq_cst);
    atomicAdd(&floats[0], 0.5f * (float)(t % 7));
    cuda::atomic_ref<float, cuda::thread_scope_device>(floats[1]).fetch_add(0.25f);
    atomicInc(&words[100], 76);
    atomicExch(&words[101], 5);
    atomicAdd_block(&words[102], 1);
    atomicAdd_system(&words[103], 2);
}

__global__ void pipelines(const int *in, unsigned *out, int stages_of_input)
{
    constexpr int size = 128;
    __shared__ __align__(16) int buffers[2][size];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    unsigned sum = 0;
    for (int computed = 0, fetched = 0; computed < stages_of_input; computed++) {
        for (; fetched < stages_of_input && fetched < computed + 2; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffers[fetched % 2], in + fetched * size,
                               cuda::aligned_size_t<16>(sizeof buffers[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum = sum * 3 + (unsigned)buffers[computed % 2][size - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
    // one thread's own pipeline, and copies of a group
    auto own = cuda::make_pipeline();
    own.producer_acquire();
    cuda::memcpy_async(&buffers[0][threadIdx.x], in + threadIdx.x, sizeof(int), own);
    own.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(own);
    own.consumer_release();
    cg::memcpy_async(block, buffers[1], in + size, sizeof buffers[1]);
    cg::wait(block);
    out[threadIdx.x] += (unsigned)(buffers[0][threadIdx.x] + buffers[1][threadIdx.x ^ 1]);
}

__global__ void barriers(unsigned *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready, drained;
    __shared__ unsigned words[64];
    if (threadIdx.x == 0) {
        init(&ready, 96);
        init(&drained, 96);
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned round = 0; round < 5; round++)
        if (threadIdx.x >= 32) { // 64 threads produce, and 32 consume
            drained.arrive_and_wait();
            words[threadIdx.x - 32] = threadIdx.x * (round + 1);
            (void)ready.arrive();
        } else {
            (void)drained.arrive();
            auto token = ready.arrive();
            ready.wait(std::move(token));
            sum = sum * 5 + words[threadIdx.x] + words[threadIdx.x + 32];
        }
    out[threadIdx.x] = sum;
}

// ---- streams ----

__global__ void scale(unsigned *words, unsigned by, unsigned more)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    words[t] = words[t] * by + more;
}

__global__ void early(unsigned *words)
{
    cudaTriggerProgrammaticLaunchCompletion();
    words[threadIdx.x] = threadIdx.x + 7;
}

__global__ void late(unsigned *words)
{
    unsigned before = threadIdx.x * 2;
    cudaGridDependencySynchronize();
    words[64 + threadIdx.x] = words[threadIdx.x] + before;
}

__global__ void ranks(unsigned *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    out[blockIdx.x] = 100 * blockIdx.x + 10 * cluster.block_rank() + cluster.num_blocks();
}

static void count(void *calls)
{
    ++*(int *)calls;
}

static void streams()
{
    unsigned *words = managed<unsigned>(256), *host = (unsigned *)malloc(1024);
    cudaStream_t one, other;
    cudaEvent_t fork, join;
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&fork);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    int calls = 0;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(words, 0, 1024, one);
    scale<<<2, 64, 0, one>>>(words, 1, 5);
    cudaEventRecord(fork, one);
    cudaStreamWaitEvent(other, fork, 0);
    scale<<<1, 64, 0, other>>>(words, 3, 1);
    scale<<<1, 64, 0, one>>>(words + 64, 2, 2);
    cudaLaunchHostFunc(other, count, &calls);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(one, join, 0);
    scale<<<2, 64, 0, one>>>(words, 10, 0);
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(executable, one);
    cudaMemcpyAsync(host, words, 1024, cudaMemcpyDefault, one);
    cudaStreamSynchronize(one);
    ended("graphs");
    bool same = calls == 3;
    for (int i = 0; i < 256; i++)
        same = same && host[i] == (i < 64 ? 160u : i < 128 ? 120u : 0u);
    need(same, "graphs");
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);

    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1, config.blockDim = 64, config.stream = one, config.attrs = &attribute,
    config.numAttrs = 1;
    early<<<1, 64, 0, one>>>(words);
    cudaLaunchKernelEx(&config, late, words);
    compare(
        words, 128, 1, [](unsigned t, unsigned) { return t < 64 ? t + 7 : 3 * (t - 64) + 7; },
        "dependent launches");

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4, attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(8), config.blockDim = dim3(1);
    cudaLaunchKernelEx(&config, ranks, words);
    compare(
        words, 8, 1, [](unsigned b, unsigned) { return 100 * b + 10 * (b % 4) + 4; },
        "clusters of a launch attribute");
    need(cudaMemcpy2D(words, 64, host, 16, 16, 4, cudaMemcpyDefault) == cudaSuccess && words[16] == host[4],
         "copies of rows");
    cudaMemset2D(words, 64, 0xff, 4, 3);
    need(words[32] == ~0u && words[1] == host[1] && words[48] == host[12], "settings of rows");
    float time = -1;
    cudaEventRecord(fork, one);
    cudaEvent_t end;
    cudaEventCreate(&end);
    scale<<<1, 64, 0, one>>>(words, 3, 1);
    cudaEventRecord(end, one);
    cudaEventSynchronize(end);
    need(cudaEventElapsedTime(&time, fork, end) == cudaSuccess && time > 0, "the time between events");
    scale<<<1, 2000>>>(words, 1, 1);
    need(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess,
         "too many threads are refused");
}

__global__ void __launch_bounds__(128, 2) bounded(unsigned *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    unsigned *out = managed<unsigned>(256 * 16), *words = managed<unsigned>(256);
    warps<<<1, 256>>>(out);
    compare(out, 256, 14 + 2, of_warps, "operations of warps");
    memset(out, 0, 256 * 64);
    groups<<<1, 128>>>(out);
    compare(out, 128, 12, of_groups, "cooperative groups");
    clusters<<<dim3(4, 4), 32>>>(out);
    compare(
        out, 16, 4,
        [](unsigned b, unsigned w) {
            unsigned x = b % 4 / 2 * 2 + w % 2, y = b / 4 / 2 * 2 + w / 2, rank = b / 4 % 2 * 2 + b % 2;
            return (y * 4 + x) * 10 + rank + 2000;
        },
        "clusters");
    memset(out, 0, 4096);
    void *arguments[] = {&out, &words};
    cudaLaunchCooperativeKernel((void *)grids, dim3(6), dim3(96), arguments, 0, 0);
    compare(
        out, 576, 1, [](unsigned, unsigned) { return 6u * (575 * 576 / 2); }, "grids");
    memset(words, 0, 1024);
    auto gate = new (managed<long>(8)) cuda::latch<cuda::thread_scope_device>(128);
    waits<<<4, 32>>>(out, words, words + 8, gate);
    compare(
        out, 128, 1, [](unsigned, unsigned) { return 384u; }, "semaphores and latches");
    unsigned in_turn = 0;
    for (unsigned t = 0; t < 128; t++)
        in_turn = in_turn * 3 + t;
    need(words[1] == 0 && words[2] <= 2 && words[2] > 0 && words[3] == in_turn, "waits");
    memset(words, 0, 1024);
    unsigned long long *longs = managed<unsigned long long>(4);
    float *floats = managed<float>(2);
    longs[2] = ~0ull;
    atomics<<<4, 64>>>(words, longs, floats);
    ended("atomics");
    bool same =
        longs[0] == 32640ull << 30 && longs[1] == 32640 * 3 && longs[2] == ~0ull - 255 && floats[1] == 64;
    float sum = 0;
    for (unsigned t = 0; t < 256; t++)
        sum += 0.5f * (float)(t % 7);
    same = same && floats[0] == sum && words[100] == 256 % 77 && words[101] == 5 && words[102] == 256 &&
           words[103] == 512;
    for (unsigned b = 0; b < 4; b++) {
        unsigned most = 0;
        for (unsigned t = 64 * b; t < 64 * b + 64; t++)
            most = (t ^ 85) > most ? t ^ 85 : most;
        same = same && words[4 * b] == 4096 * b + 2016 && words[4 * b + 1] == most &&
               words[4 * b + 2] == ~0u && words[4 * b + 3] == 64 * b + 9;
    }
    need(same, "atomics");
    int *in = managed<int>(128 * 6);
    for (int i = 0; i < 768; i++)
        in[i] = i * i % 1009;
    pipelines<<<1, 128>>>(in, out, 6);
    compare(
        out, 128, 1,
        [in](unsigned t, unsigned) {
            unsigned s = 0;
            for (unsigned stage = 0; stage < 6; stage++)
                s = s * 3 + (unsigned)in[stage * 128 + 127 - t];
            return s + (unsigned)(in[t] + in[128 + (t ^ 1)]);
        },
        "pipelines");
    barriers<<<1, 96>>>(out);
    compare(
        out, 96, 1,
        [](unsigned t, unsigned) {
            unsigned s = 0;
            for (unsigned round = 1; round <= 5 && t < 32; round++)
                s = s * 5 + (t + 32) * round + (t + 64) * round;
            return s;
        },
        "barriers");
    bounded<<<1, 128>>>(out);
    compare(
        out, 128, 1, [](unsigned t, unsigned) { return t; }, "launch bounds");
    bounded<<<1, 256>>>(out);
    need(cudaGetLastError() != cudaSuccess, "more threads than the bounds are refused");
    streams();
    return failures != 0;
}
