/*
 * Ways for a block to tell others, through global memory, that its data are written. Each hop has
 *
 *     IN_CLUSTER                       must both blocks belong to one cluster?
 *     static size_t bytes(mail)        bytes of shared memory
 *     begin(mail)                      called once
 *     send(mail, round)                writes the block's data of this round, and the word announcing them
 *     receive(mail, round, findings)   waits for the other blocks' data, and compares them
 *     end(mail)                        called once
 *
 * Every thread of the block calls these functions.
 */
#ifndef MICRO_HOPS_CUH
#define MICRO_HOPS_CUH

#include "micro/hops/mail.cuh"

/* ---- Signals: after a __syncthreads, one thread announces data by a word that counts rounds ---- */

template <hop_scope of>
struct FenceAdd {
    static __device__ void signal(unsigned *word, unsigned)
    {
        releasing_fence<of>();
        relaxed_reduction<of>(word);
    }
};
template <>
struct FenceAdd<WITHIN_GPU> {
    static __device__ void signal(unsigned *word, unsigned) { hop_counter_signal(word); }
};
struct FullFenceAdd {
    static __device__ void signal(unsigned *word, unsigned)
    {
        __threadfence();
        atomicAdd(word, 1u);
    }
};
struct AddRelease {
    static __device__ void signal(unsigned *word, unsigned) { releasing_addition(word); }
};
struct ReduceRelease {
    static __device__ void signal(unsigned *word, unsigned) { reduce_add_release(word, 1); }
};
struct FenceStore {
    static __device__ void signal(unsigned *word, unsigned round)
    {
        fence_release();
        store_relaxed(word, round);
    }
};
struct StoreRelease {
    static __device__ void signal(unsigned *word, unsigned round) { releasing_store(word, round); }
};
/* A signal without a release: the word may become visible before the data. */
struct AddAlone {
    static __device__ void signal(unsigned *word, unsigned) { relaxed_reduction<WITHIN_GPU>(word); }
};
struct StoreAlone {
    static __device__ void signal(unsigned *word, unsigned round) { *(volatile unsigned *)word = round; }
};

/* ---- Polls: a thread waits until the word of a signal has reached a goal ---- */

template <hop_scope of>
struct PollRelaxed {
    static __device__ void until(unsigned *word, unsigned goal)
    {
        while (hop_counter_is_below(relaxed_load<of>(word), goal)) {
        }
        acquiring_fence<of>();
    }
};
template <>
struct PollRelaxed<WITHIN_GPU> {
    static __device__ void until(unsigned *word, unsigned goal) { hop_counter_wait(word, goal); }
};
template <hop_scope of>
struct PollAcquire {
    static __device__ void until(unsigned *word, unsigned goal)
    {
        while (hop_counter_is_below(acquiring_load<of>(word), goal)) {
        }
    }
};
struct PollAtomic {
    static __device__ void until(unsigned *word, unsigned goal)
    {
        while (hop_counter_is_below(atomicAdd(word, 0u), goal)) {
        }
        fence_acquire();
    }
};
template <unsigned ns>
struct PollSleeping {
    static __device__ void until(unsigned *word, unsigned goal)
    {
        while (hop_counter_is_below(load_relaxed(word), goal))
            sleep_ns(ns);
        fence_acquire();
    }
};
struct PollSleepingLonger {
    static __device__ void until(unsigned *word, unsigned goal)
    {
        for (unsigned ns = 8; hop_counter_is_below(load_relaxed(word), goal); ns = ns < 256 ? 2 * ns : ns)
            sleep_ns(ns);
        fence_acquire();
    }
};
/* A poll without an acquire: the data that are read next may have been loaded earlier, or lie in the L1
 * cache. */
struct PollAlone {
    static __device__ void until(unsigned *word, unsigned goal)
    {
        while (hop_counter_is_below(*(volatile unsigned *)word, goal)) {
        }
        compiler_barrier();
    }
};
struct DoNotPoll {
    static __device__ void until(unsigned *, unsigned) { compiler_barrier(); }
};

/* ---- Which threads of a block poll; the block may read the data after block_waits ---- */

enum who { ONE_LANE, ONE_WARP, EACH_WARP, EACH_THREAD };

template <class Poll, who polls>
static __device__ __forceinline__ void block_waits(unsigned *word, unsigned goal)
{
    unsigned t = thread_in_block();
    if (polls == ONE_LANE ? t == 0 : polls == ONE_WARP ? t < 32 : polls == EACH_WARP ? t % 32 == 0 : true)
        Poll::until(word, goal);
    if (polls == EACH_WARP)
        __syncwarp();
    else if (polls != EACH_THREAD)
        __syncthreads();
}

/* ---- Where words lie: one for all partners, or one for each partner, adjacent or on separate lines ---- */

enum spread { ONE_WORD = 0, NEIGHBOURS = 1, APART = LINE_WORDS };

/* Calls `call` with the address of each of `count` words, in a different thread for each. `apart` is their
 * distance. */
template <class Call>
static __device__ __forceinline__ void for_each_word(unsigned *words, spread apart, unsigned count, Call call)
{
    for (unsigned i = thread_in_block(); i < count; i += threads_in_block())
        call(words + i * apart);
}

/* A hop that is announced by words. `out` says how the words from the hub to its partners lie in memory, and
 * `in` how the words from the partners to the hub lie. */
template <class Release, class Poll, who polls = ONE_LANE, spread out = ONE_WORD, spread in = ONE_WORD,
          data_access how = PLAIN>
struct WordHop {
    static const who POLLING = polls;
    typedef Poll poll;
    static const bool IN_CLUSTER = false;
    static size_t bytes(const Mail &) { return 0; }
    __device__ void begin(const Mail &) {}
    __device__ void end(const Mail &) {}

    __device__ void send(const Mail &m, unsigned round)
    {
        write_letter<how>(letter_to_send(m), round);
        __syncthreads();
        if (is_hub())
            for_each_word(m.sent, out, out == ONE_WORD ? 1 : partners(),
                          [=](unsigned *word) { Release::signal(word, round); });
        else if (is_block_leader())
            Release::signal(m.answered + partner_number() * in, round);
    }
    __device__ void receive(const Mail &m, unsigned round, Findings &found)
    {
        if (!is_hub()) {
            block_waits<Poll, polls>(m.sent + partner_number() * out, round);
        } else if (in == ONE_WORD) {
            block_waits<Poll, polls>(m.answered, round * partners());
        } else {
            for_each_word(m.answered, in, partners(), [=](unsigned *word) { Poll::until(word, round); });
            __syncthreads();
        }
        read_letter<how>(letter_to_read(m), round, found);
    }
};

template <class Hop, class = void>
struct has_poll {
    static constexpr bool value = false;
};
template <class Hop>
struct has_poll<Hop, decltype((void)Hop::POLLING)> {
    static constexpr bool value = true;
};

/* ---- Hops by self-validating data: no signal is needed ---- */

/*
 * A hop by self-validating data. Each thread polls the vectors (16 bytes of data) that it reads, up to LOADS
 * vectors at a time. The template argument Form says how a vector lies in memory, and how a thread sees that
 * it has loaded this round's vector and not an older one. Before the block overwrites the data that it has
 * read, it synchronizes.
 */
template <class Form>
struct DataHop {
    static const unsigned LOADS = 4;

    static const bool IN_CLUSTER = false;
    static size_t bytes(const Mail &) { return 0; }
    __device__ void begin(const Mail &) {}
    __device__ void end(const Mail &) {}

    __device__ void send(const Mail &m, unsigned round)
    {
        Letter letter = letter_to_send(m);
        unsigned slots = is_hub() ? m.vectors : m.in_vectors;
        for_vectors_written(
            letter, [&](unsigned at) { Form::publish(letter.data, slots, at, vector_of(round, at), round); });
        Form::clear(letter, slots, round);
    }
    __device__ void receive(const Mail &m, unsigned round, Findings &found)
    {
        Letter letter = letter_to_read(m);
        unsigned slots = is_hub() ? m.in_vectors : m.vectors, threads = threads_in_block();
        for (unsigned at = first_vector_read(letter); at < letter.end; at += LOADS * threads)
            await(letter, slots, at, round, found);
        __syncthreads();
    }
    static __device__ void await(const Letter &letter, unsigned slots, unsigned first, unsigned round,
                                 Findings &found)
    {
        typename Form::stored now[LOADS];
        unsigned threads = threads_in_block();
        bool all;
        do {
            all = true;
            UNROLL(4)
            for (unsigned i = 0; i < LOADS; i++)
                if (first + i * threads < letter.end)
                    now[i] = Form::load(letter.data, slots, first + i * threads, round);
            UNROLL(4)
            for (unsigned i = 0; i < LOADS; i++)
                if (first + i * threads < letter.end)
                    all = all && Form::is_there(now[i], round);
        } while (!all);
        UNROLL(4)
        for (unsigned i = 0; i < LOADS; i++)
            if (first + i * threads < letter.end)
                found.note(Form::is_wrong(now[i], vector_of(round, first + i * threads)));
    }
};

/* The form of 16 bytes of data in four packed words, two in each half: half of the stored bytes are
 * epochs. */
struct PackedForm {
    static const unsigned BYTES = 32;
    struct stored {
        packed_word words[4];
    };
    static __device__ void publish(uint4 *data, unsigned, unsigned at, uint4 vector, unsigned round)
    {
        packed_word *words = (packed_word *)data + 4 * at;
        packed_word_publish((packed_word_pair *)words, {packed(vector.x, round), packed(vector.y, round)});
        packed_word_publish((packed_word_pair *)(words + 2),
                            {packed(vector.z, round), packed(vector.w, round)});
    }
    static __device__ void clear(const Letter &, unsigned, unsigned) {}
    static __device__ stored load(const uint4 *data, unsigned, unsigned at, unsigned)
    {
        const packed_word *words = (const packed_word *)data + 4 * at;
        packed_word_pair low = packed_word_load((const packed_word_pair *)words),
                         high = packed_word_load((const packed_word_pair *)(words + 2));
        return {{low.first, low.second, high.first, high.second}};
    }
    static __device__ bool is_there(const stored &now, unsigned round)
    {
        return packed_word_is(now.words[0], round) && packed_word_is(now.words[1], round) &&
               packed_word_is(now.words[2], round) && packed_word_is(now.words[3], round);
    }
    static __device__ bool is_wrong(const stored &now, uint4 vector)
    {
        return packed_word_value(now.words[0]) != vector.x || packed_word_value(now.words[1]) != vector.y ||
               packed_word_value(now.words[2]) != vector.z || packed_word_value(now.words[3]) != vector.w;
    }
};

/* The form of twelve bytes of data and an epoch that are stored and loaded by one access of 16 bytes */
struct Packed16Form {
    static const unsigned BYTES = sizeof(hop_packed);
    typedef hop_packed stored;
    static __device__ void publish(uint4 *data, unsigned, unsigned at, uint4 vector, unsigned round)
    {
        hop_packed_publish((hop_packed *)data + at, {vector.x, vector.y, vector.z}, round);
    }
    static __device__ void clear(const Letter &, unsigned, unsigned) {}
    static __device__ stored load(const uint4 *data, unsigned, unsigned at, unsigned)
    {
        return hop_packed_load((const hop_packed *)data + at);
    }
    static __device__ bool is_there(const stored &now, unsigned round) { return hop_packed_is(now, round); }
    static __device__ bool is_wrong(const stored &now, uint4 vector)
    {
        hop_data data = hop_packed_data(now);
        return data.x != vector.x || data.y != vector.y || data.z != vector.z;
    }
};

/* The form of twelve bytes of data and an epoch as a vector of four words, which become visible in any
 * order */
struct VectorForm {
    static const unsigned BYTES = 16;
    typedef uint4 stored;
    static __device__ void publish(uint4 *data, unsigned, unsigned at, uint4 vector, unsigned round)
    {
        vector.w = round;
        store_four_words(&data[at], vector);
    }
    static __device__ void clear(const Letter &, unsigned, unsigned) {}
    static __device__ stored load(const uint4 *data, unsigned, unsigned at, unsigned)
    {
        return load_four_words(&data[at]);
    }
    static __device__ bool is_there(const stored &now, unsigned round) { return now.w == round; }
    static __device__ bool is_wrong(const stored &now, uint4 vector)
    {
        vector.w = now.w;
        return differ(now, vector);
    }
};

/*
 * The form of data whose words are never all ones. The rounds use three places in memory in turn
 * (sync/hop.cuh). A block that sends a round has received the answer to the preceding round, so all blocks
 * have read that round. A waiting thread must have executed a fence before (sync/hop.cuh): this is the fence
 * that follows its own stores.
 */
struct SentinelForm {
    static const unsigned BYTES = 48;
    typedef uint4 stored;
    static __device__ uint4 *place(uint4 *data, unsigned slots, unsigned at, unsigned round)
    {
        return data + at + round % 3 * slots;
    }
    static __device__ void publish(uint4 *data, unsigned slots, unsigned at, uint4 vector, unsigned round)
    {
        hop_sentinel_store(place(data, slots, at, round), vector);
    }
    static __device__ void clear(const Letter &letter, unsigned slots, unsigned round)
    {
        for_vectors_written(
            letter, [&](unsigned at) { hop_sentinel_clear(place(letter.data, slots, at, round + 2)); });
        __threadfence();
    }
    static __device__ stored load(uint4 *data, unsigned slots, unsigned at, unsigned round)
    {
        return hop_sentinel_load(place(data, slots, at, round));
    }
    static __device__ bool is_there(const stored &now, unsigned) { return hop_sentinel_is_there(now); }
    static __device__ bool is_wrong(const stored &now, uint4 vector) { return differ(now, vector); }
};

#endif
