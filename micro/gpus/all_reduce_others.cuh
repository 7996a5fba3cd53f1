/*
 * All-reduces to compare with sync/all_reduce.cuh: plain data in memory, ordered by flags and fences or by a
 * barrier; versions with mistakes; and the arithmetic alone. They have the same begin_as, send, receive and
 * end, and use the same memory, of which they need a larger part in each inbox.
 */
#ifndef MICRO_ALL_REDUCE_OTHERS_CUH
#define MICRO_ALL_REDUCE_OTHERS_CUH

#include "harness/kernel.cuh"
#include "sync/all_reduce.cuh"
#include "sync/multi_gpu.cuh"

/* all_reduce_value returns the number of 28 bits that a GPU contributes in a round, so that the sums of eight
 * GPUs have at most 31 bits. all_reduce_sum returns the sum. */
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

/* For libraries that add up the numbers of round 0 in every round: all_reduce_first_numbers fills in a GPU's
 * numbers on the host. all_reduce_wrong_sums returns how many of the sums over `gpus` GPUs are wrong. */
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

/* The common part of the all-reduces by plain words: each GPU's vectors in slots that are used in turn, and
 * the position of the flags */
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

    /* Returns the position, in words, of a GPU's vector in an inbox. */
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

/* Returns the bytes that the flags add to an inbox of sync/all_reduce.cuh; each flag has a cache line. */
static inline size_t plain_reduce_more_bytes(unsigned gpus, unsigned blocks)
{
    size_t lines = 2 + (size_t)gpus * blocks + blocks / GPUSYNC_LINE_WORDS;
    return lines * GPUSYNC_LINE_WORDS * sizeof(unsigned);
}

/* An all-reduce by flags. Each block stores its share into every inbox, and then a flag for each GPU. A
 * receiver waits for the flags of all blocks. RELEASE and ACQUIRE say whether it has the release fence and
 * the acquire fence; without either, it is wrong. */
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
        /* Waits for the flags of all blocks. A block that is one round ahead may have stored the next round's
         * flag already. */
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

/* The all-reduce of sync/all_reduce.cuh, but with a time-out of its waits that is so short that it expires
 * several times in a round */
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

/* An all-reduce with a mistake: all rounds use the same slot */
template <unsigned GPUS>
struct OneSlot : AllReduce<unsigned, GPUS> {
    typedef AllReduce<unsigned, GPUS> Base;

    template <class ValueOf>
    __device__ void send(ValueOf value_of)
    {
        this->round++; /* Base::send adds 1, too, so every round uses the same slot */
        Base::send(value_of);
    }
};

/* An all-reduce with a mistake: the last block of each GPU only receives. The second-to-last block sends the
 * last block's share, too. */
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

/* Does not exchange data: computes the numbers of all GPUs and checks the sums. It adds a word from memory
 * that is always zero, so that the compiler cannot compute the sums. */
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
