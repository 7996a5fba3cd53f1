/*
 * All-reduces to compare sync/all_reduce.cuh with: data that lie plain in memory, ordered by flags and fences or
 * by a barrier, mistakes, and the arithmetic alone. All have its begin_as, send, receive and end, and its memory,
 * of which they use as much of an inbox as they need.
 */
#ifndef MICRO_ALL_REDUCE_OTHERS_CUH
#define MICRO_ALL_REDUCE_OTHERS_CUH

#include "harness/kernel.cuh"
#include "sync/all_reduce.cuh"
#include "sync/multi_gpu.cuh"

/* What GPU g contributes in a round, 28 bits each, so that the sums of eight GPUs fit 31 bits; and the sum. */
static __host__ __device__ __forceinline__ unsigned all_reduce_value(unsigned gpu, unsigned round,
                                                                     unsigned at)
{
    return (at * 2654435761u + round * 2246822519u + gpu * 3266489917u) >> 4;
}
template <unsigned GPUS>
static __device__ __forceinline__ unsigned all_reduce_sum(unsigned round, unsigned at)
{
    unsigned sum = 0;
    for (unsigned g = 0; g < GPUS; g++)
        sum += all_reduce_value(g, round, at);
    return sum;
}

/* Where a library adds up the same numbers again and again, they are those of round 0: on the host, a GPU's numbers, and how
 * many of the sums of so many GPUs are wrong. */
static inline void all_reduce_first_numbers(unsigned gpu, unsigned elements, unsigned *numbers)
{
    for (unsigned i = 0; i < elements; i++)
        numbers[i] = all_reduce_value(gpu, 0, i);
}
static inline unsigned all_reduce_wrong_sums(unsigned gpus, unsigned elements, const unsigned *sums)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < elements; i++) {
        unsigned sum = 0;
        for (unsigned g = 0; g < gpus; g++)
            sum += all_reduce_value(g, 0, i);
        wrong += sums[i] != sum;
    }
    return wrong;
}

/* What all of them know: vectors in slots used in turn, plain words, and where flags are. */
template <unsigned GPUS>
struct PlainReduce {
    gpusync_all_reduce memory;
    unsigned *here;
    unsigned me, block, round, first, end_of_share;

    __device__ void begin_as(const gpusync_all_reduce &m, unsigned gpu, unsigned block_of_gpu)
    {
        memory = m;
        me = gpu;
        block = block_of_gpu;
        here = m.inbox[gpu];
        round = here[flags_from() + GPUS * m.blocks * GPUSYNC_LINE_WORDS + block];
        first = (unsigned)((unsigned long long)m.elements * block / m.blocks);
        end_of_share = (unsigned)((unsigned long long)m.elements * (block + 1) / m.blocks);
    }
    __device__ void end()
    {
        if (is_block_leader())
            here[flags_from() + GPUS * memory.blocks * GPUSYNC_LINE_WORDS + block] = round;
    }

    /* Words from an inbox's begin. */
    __device__ size_t vector_of(unsigned gpu) const
    {
        return ((size_t)(round % GPUSYNC_ALL_REDUCE_SLOTS) * GPUS + gpu) * memory.elements;
    }
    __device__ size_t flags_from() const
    {
        size_t words = (size_t)GPUSYNC_ALL_REDUCE_SLOTS * GPUS * memory.elements;
        return (words + GPUSYNC_LINE_WORDS - 1) / GPUSYNC_LINE_WORDS * GPUSYNC_LINE_WORDS;
    }

    template <class Use>
    __device__ void add_all(Use use) const
    {
        for (unsigned i = thread_in_block(); i < memory.elements; i += threads_in_block()) {
            unsigned sum = 0;
            for (unsigned g = 0; g < GPUS; g++)
                sum += here[vector_of(g) + i];
            use(i, sum);
        }
    }
};

/* What they need of an inbox beyond what sync/all_reduce.cuh does: the flags, in lines of their own. */
static inline size_t plain_reduce_more_bytes(unsigned gpus, unsigned blocks)
{
    size_t lines = 2 + (size_t)gpus * blocks + blocks / GPUSYNC_LINE_WORDS;
    return lines * GPUSYNC_LINE_WORDS * sizeof(unsigned);
}

/* Each block stores its share into every inbox, and then a flag for each GPU; a reader waits for the flags of all
 * blocks. RELEASE, ACQUIRE: with the fence there; without, it is a mistake. */
template <unsigned GPUS, bool RELEASE = true, bool ACQUIRE = true>
struct FlagReduce : PlainReduce<GPUS> {
    typedef PlainReduce<GPUS> Base;

    template <class ValueOf>
    __device__ void send(ValueOf value_of)
    {
        this->round++;
        for (unsigned i = this->first + thread_in_block(); i < this->end_of_share; i += threads_in_block()) {
            unsigned value = value_of(i);
            for (unsigned g = 0; g < GPUS; g++)
                this->memory.inbox[g][this->vector_of(this->me) + i] = value;
        }
        __syncthreads();
        if (thread_in_block() < GPUS) {
            if (RELEASE)
                fence_release_system();
            store_relaxed_system(flag(this->memory.inbox[thread_in_block()], this->me, this->block),
                                 this->round);
        }
    }
    template <class Use>
    __device__ void receive(Use use)
    {
        /* A block that is ahead may have told of the next round already. */
        for (unsigned f = thread_in_block(); f < GPUS * this->memory.blocks; f += threads_in_block()) {
            const unsigned *told = flag(this->here, f / this->memory.blocks, f % this->memory.blocks);
            while ((int)(load_relaxed_system(told) - this->round) < 0) {
            }
        }
        if (ACQUIRE)
            fence_acquire_system();
        __syncthreads();
        this->add_all(use);
        __syncthreads();
    }

  private:
    __device__ unsigned *flag(unsigned *inbox, unsigned gpu, unsigned block_of_gpu) const
    {
        return inbox + this->flags_from() + (gpu * this->memory.blocks + block_of_gpu) * GPUSYNC_LINE_WORDS;
    }
};

/* Its time runs out several times in a round. */
template <unsigned GPUS>
struct ReduceTimesOut : AllReduce<unsigned, GPUS> {
    typedef AllReduce<unsigned, GPUS> Base;

    template <class Use>
    __device__ void receive(Use use)
    {
        while (!this->wait_for(300)) {
        }
        Base::receive(use);
    }
};

/* A mistake: one slot for all rounds. */
template <unsigned GPUS>
struct OneSlot : AllReduce<unsigned, GPUS> {
    typedef AllReduce<unsigned, GPUS> Base;

    template <class ValueOf>
    __device__ void send(ValueOf value_of)
    {
        this->round++; /* with the one that send adds, the same slot again */
        Base::send(value_of);
    }
};

/* A mistake: the last block of each GPU only receives, and the one before it sends its share too. */
template <unsigned GPUS>
struct OnlyReceives : AllReduce<unsigned, GPUS> {
    typedef AllReduce<unsigned, GPUS> Base;

    __device__ void begin_as(const gpusync_all_reduce &m, unsigned gpu, unsigned block)
    {
        Base::begin_as(m, gpu, block);
        if (block + 2 == m.blocks)
            this->end_of_share = this->units;
        if (block + 1 == m.blocks)
            this->first = this->units;
    }
};

/* No exchange: what it takes to make the values and to check the sums. What is added from memory is zero, which
 * the compiler does not know. */
template <unsigned GPUS>
struct NoExchange : PlainReduce<GPUS> {
    unsigned zero;

    __device__ void begin_as(const gpusync_all_reduce &m, unsigned gpu, unsigned block_of_gpu)
    {
        PlainReduce<GPUS>::begin_as(m, gpu, block_of_gpu);
        zero = this->here[0];
    }
    template <class ValueOf>
    __device__ void send(ValueOf)
    {
        this->round++;
    }
    template <class Use>
    __device__ void receive(Use use)
    {
        for (unsigned i = thread_in_block(); i < this->memory.elements; i += threads_in_block()) {
            unsigned sum = 0;
            for (unsigned g = 0; g < GPUS; g++)
                sum += all_reduce_value(g, this->round, i) + zero;
            use(i, sum);
        }
        __syncthreads();
    }
};

#endif
