/*
 * The data that blocks send each other in micro-dependency, which verify each hop. Block 0 is the hub; the
 * other blocks are its partners. In each round the hub sends all of its data to every partner, and each
 * partner sends its share of the answer to the hub. The data consist of vectors of 16 bytes. The value of a
 * vector depends only on the round and on the vector's position.
 */
#ifndef MICRO_MAIL_CUH
#define MICRO_MAIL_CUH

#include "micro/hops/hop_accesses.cuh"

/* The distance, in words, between two words that lie on separate cache lines */
static const unsigned LINE_WORDS = 32;

struct Mail {
    uint4 *out, *in; /* `out` has the hub's data, `in` its partners' shares of the answer */
    /* flags of the hub (`sent`) and of the partners (`answered`), a line for each partner */
    unsigned *sent, *answered;
    /* number of vectors (16 bytes each) of the hub's data, and of the answer, which has at least one vector
     * from each partner */
    unsigned vectors, in_vectors;
    unsigned rounds;
    /* the numbers of wrong and of compared vectors, counted by all blocks together */
    unsigned long long *wrong, *compared;
};

static __device__ __forceinline__ bool is_hub()
{
    return block_in_grid() == 0;
}
static __device__ __forceinline__ unsigned partner_number()
{
    return block_in_grid() - 1;
}
static __device__ __forceinline__ unsigned partners()
{
    return blocks_in_grid() - 1;
}

/* The data that a block writes or reads in a round: the vectors (16 bytes each) from number `first` to number
 * `end` - 1 */
struct Letter {
    uint4 *data;
    unsigned first, end;
};

static __device__ __forceinline__ Letter letter_to_send(const Mail &m)
{
    if (is_hub())
        return {m.out, 0, m.vectors};
    return {m.in, partner_number() * m.in_vectors / partners(),
            (partner_number() + 1) * m.in_vectors / partners()};
}
static __device__ __forceinline__ Letter letter_to_read(const Mail &m)
{
    return is_hub() ? Letter{m.in, 0, m.in_vectors} : Letter{m.out, 0, m.vectors};
}

/* Returns vector number `at` of the data of a round: 16 bytes, in which no 4-byte word has all bits set. */
static __device__ __forceinline__ uint4 vector_of(unsigned round, unsigned at)
{
    unsigned mixed = (round * 2654435761u + at * 40503u) & 0x3fffffffu;
    return make_uint4(mixed, mixed + 1, mixed + 2, mixed + 3);
}

/* Calls `call` for the index of each 16 bytes that the calling thread writes; another thread reads them. */
template <class Call>
static __device__ __forceinline__ void for_vectors_written(const Letter &letter, Call call)
{
    for (unsigned at = letter.first + thread_in_block(); at < letter.end; at += threads_in_block())
        call(at);
}

static __device__ __forceinline__ unsigned first_vector_read(const Letter &letter)
{
    return letter.first + threads_in_block() - 1 - thread_in_block();
}

static __device__ __forceinline__ bool differ(uint4 a, uint4 b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
}

/* The numbers of wrong and of compared vectors (16 bytes) of the data that a thread has read */
struct Findings {
    unsigned wrong, compared;

    __device__ void note(bool is_wrong)
    {
        wrong += is_wrong;
        compared++;
    }
    __device__ void report(const Mail &m) const
    {
        if (wrong)
            atomicAdd(m.wrong, (unsigned long long)wrong);
        if (compared)
            atomicAdd(m.compared, (unsigned long long)compared);
    }
};

enum data_access { PLAIN, PAST_L1 };

/* write_letter writes the data of a round, and read_letter reads and compares them. With PLAIN they use
 * ordinary accesses, as an algorithm does, so that stale caches show; otherwise all accesses bypass the L1
 * cache. */
template <data_access how>
static __device__ __forceinline__ void write_letter(const Letter &letter, unsigned round)
{
    for_vectors_written(letter, [&](unsigned at) {
        if (how == PLAIN)
            letter.data[at] = vector_of(round, at);
        else
            store_four_words(&letter.data[at], vector_of(round, at));
    });
}
template <data_access how>
static __device__ __forceinline__ void read_letter(const Letter &letter, unsigned round, Findings &found)
{
    for (unsigned at = first_vector_read(letter); at < letter.end; at += threads_in_block()) {
        uint4 vector = how == PLAIN ? letter.data[at] : load_four_words(&letter.data[at]);
        found.note(differ(vector, vector_of(round, at)));
    }
}

#endif
