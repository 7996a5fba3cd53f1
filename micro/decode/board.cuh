/*
 * The board, on which the steps of micro-decode leave their results for other blocks. Each token, layer and
 * step has its own places, so that all results can be compared afterwards. Two results share a word. Blocks
 * add their parts of an attention to one place, which is 0 at first.
 *
 * The memory of the board consists of rooms. A room holds one cache line of results of each of four
 * successive tokens; if words contain a flag, it holds one sector of results of each of these tokens. So only
 * a quarter of each room belongs to the current token. All blocks load the same few lines again and again,
 * and this layout spreads the lines better over the cache's units, each of which serves a range of lines.
 * (Trials showed that other distances, and sectors for other words, are slower.) The rest of a room serves
 * the next three tokens, so that the boards of many tokens stay in the cache.
 *
 * If several GPUs decode together, each has a board with places for each member's results. It contains the
 * member's own results, and all members' parts of the results that are added up.
 */
#ifndef MICRO_DECODE_BOARD_CUH
#define MICRO_DECODE_BOARD_CUH

#include "harness/kernel.cuh"
#include "micro/decode/schedule.cuh"
#include "sync/inboxes.h"
#include "sync/memory_order.cuh"
#include "sync/packed_word.cuh"

#define COUNTER_WORDS 32 /* number of words of a counter, which has a cache line to itself */
#define LINE_BYTES 128
#define SECTOR_BYTES 32
/* number of tokens whose results share a room of the board; a room has a cache line (or sector) for each of
 * them */
#define LINES_OF_ROOM 4

/* Returns a word that contains two numbers of 16 bits. */
static __device__ __forceinline__ unsigned pair_of(int first, int second)
{
    return ((unsigned)first & 0xffffu) | (unsigned)second << 16;
}
static __device__ __forceinline__ int first_of(unsigned pair)
{
    return (int)(short)(pair & 0xffffu);
}
static __device__ __forceinline__ int second_of(unsigned pair)
{
    return (int)pair >> 16;
}
/* Returns a word that contains the four results of two pairs, each shortened to 8 bits. */
static __device__ __forceinline__ unsigned bytes_of(uint2 pairs)
{
    return __byte_perm(pairs.x, pairs.y, 0x6420);
}

struct board {
    /* pairs of results on each GPU's board: [member that wrote it][token / 4][layer][results / 2]; a room
     * holds four tokens */
    unsigned *pairs[GPUSYNC_MOST_GPUS];
    /* sums of attentions on each GPU's board: [token / 4][layer][width]; a room holds four tokens; of type
     * int or counted_sum */
    void *sums[GPUSYNC_MOST_GPUS];
    /* a counter for each [token][layer][step][group], on a cache line of its own */
    unsigned *counters;
    /* phase of this run's words, 0 or 1; words that are not written yet have the other phase */
    unsigned phase;
    unsigned gpus;
    /* number of words of one member's pairs for the tokens 0, 4, 8, ..., rounded up to whole cache lines */
    unsigned pairs_of_member;
};

/* Returns the position of a token's word on a board on which each token has `of_token` words. The upper half
 * of the position is the token's number modulo 4. The lower half is the word's number among all words of the
 * tokens with this remainder. */
MODEL_EVERYWHERE size_t on_board(unsigned token, unsigned of_token, unsigned word)
{
    return (size_t)(token % LINES_OF_ROOM) << 32 | (token / LINES_OF_ROOM * of_token + word);
}
/* Returns the index in memory of the word at a position of the board. `together` is the number of adjacent
 * words that belong to one token. Two words are always adjacent if the first has an even number. */
MODEL_EVERYWHERE size_t in_room(size_t at, size_t together)
{
    size_t word = (unsigned)at;
    return (word / together * LINES_OF_ROOM + (at >> 32)) * together + word % together;
}
/* Returns how many words the tokens 0, 4, 8, ... need if each has `of_token` words. The number is rounded up,
 * so that words of 4 or 8 bytes fill whole cache lines. */
static inline unsigned words_of_rooms(unsigned tokens, unsigned of_token)
{
    const unsigned of_line = LINE_BYTES / sizeof(unsigned);
    unsigned words = (tokens + LINES_OF_ROOM - 1) / LINES_OF_ROOM * of_token;
    return (words + of_line - 1) / of_line * of_line;
}

/* Names the results of a step of a token. pairs_at and sums_at return the position of its first result among
 * all pairs, or among all sums of attentions. */
struct place {
    unsigned token, layer, kind;
};
MODEL_EVERYWHERE size_t pairs_at(const schedule &s, place p)
{
    return on_board(p.token, s.layers * s.layer_pairs,
                    p.layer * s.layer_pairs + s.shapes[p.kind].pairs_before);
}
MODEL_EVERYWHERE size_t sums_at(const schedule &s, place p)
{
    return on_board(p.token, s.layers * s.shapes[QKV].columns, p.layer * s.shapes[QKV].columns);
}

/* ---- Results without flags: something else, such as a barrier, shows when they have been written ---- */

struct PlainBoard {
    unsigned *pairs;
    int *sums;

    __device__ PlainBoard(const board &b, unsigned gpu) : pairs(b.pairs[gpu]), sums((int *)b.sums[gpu]) {}

    MODEL_EVERYWHERE size_t word(size_t at) { return in_room(at, LINE_BYTES / sizeof(unsigned)); }
    __device__ void put(size_t at, unsigned pair) const { pairs[word(at)] = pair; }
    /* Writes to this GPU's board only. With several GPUs, only NoOrder uses a PlainBoard, and its results may
     * be wrong. */
    __device__ void put_on_all(size_t at, unsigned pair) const { put(at, pair); }
    __device__ void add(size_t at, unsigned, int part) const { atomicAdd(sums + word(at), part); }
    /* What one load returns: two pairs, or four sums of attentions. are_there tests what a load returned, so
     * that several loads can be in flight at once. On this board the test always succeeds. */
    typedef uint2 loaded_pairs;
    struct loaded_sums {
        uint2 two[2];
    };
    __device__ loaded_pairs load_pairs(size_t at) const { return *(const uint2 *)(pairs + word(at)); }
    __device__ bool are_there(loaded_pairs now, uint2 *two) const
    {
        *two = now;
        return true;
    }
    __device__ loaded_sums load_sums(size_t at) const
    {
        return {{*(const uint2 *)(sums + word(at)), *(const uint2 *)(sums + word(at + 2))}};
    }
    __device__ bool are_there(loaded_sums now, unsigned, int *four) const
    {
        four[0] = (int)now.two[0].x;
        four[1] = (int)now.two[0].y;
        four[2] = (int)now.two[1].x;
        four[3] = (int)now.two[1].y;
        return true;
    }
    /* What the load of one pair returns: a result of an earlier step that is needed later */
    typedef unsigned loaded;
    __device__ loaded load(size_t at) const { return pairs[word(at)]; }
    __device__ unsigned pair(loaded now, size_t) const { return now; }
};

/*
 * ---- Results with flags, which show by themselves whether they are written ----
 *
 * The top bit of a pair's word is the run's phase, and the second number has one bit less. A word of 64 bits
 * with the run's number beside the pair would send twice as many bytes to every block, which shows in a
 * token's time. Every run writes all words, so a word that is not written yet has the other phase. The parts
 * of a sum are added to the lower half of a word, and their number to its upper half.
 */

typedef unsigned long long counted_sum;

#define PHASE_OF_PAIR 0x80000000u
static __device__ __forceinline__ unsigned with_phase(unsigned pair, unsigned phase)
{
    return (pair & ~PHASE_OF_PAIR) | (phase ? PHASE_OF_PAIR : 0);
}
static __device__ __forceinline__ bool has_phase(unsigned word, unsigned phase)
{
    return word >> 31 == phase;
}
MODEL_EVERYWHERE unsigned pair_without_phase(unsigned word)
{
    return (word & ~PHASE_OF_PAIR) | (word << 1 & PHASE_OF_PAIR);
}

/* Returns two adjacent words, loaded by one instruction. Each word is loaded as a whole, but either may be
 * older than the other. */
static __device__ __forceinline__ uint2 load_two(const unsigned *words)
{
    uint2 two;
    asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(two.x), "=r"(two.y) : "l"(words));
    return two;
}

/* Access to the words with flags on a GPU's own board */
struct WordsHere {
    unsigned *pairs;
    counted_sum *sums;
    unsigned phase;

    __device__ WordsHere(const board &b, unsigned gpu)
        : pairs(b.pairs[gpu]), sums((counted_sum *)b.sums[gpu]), phase(b.phase)
    {
    }

    MODEL_EVERYWHERE size_t word(size_t at) { return in_room(at, SECTOR_BYTES / sizeof(unsigned)); }
    MODEL_EVERYWHERE size_t word_of_sum(size_t at) { return in_room(at, LINE_BYTES / sizeof(counted_sum)); }
    typedef uint2 loaded_pairs;
    struct loaded_sums {
        packed_word_pair two[2];
    };
    __device__ loaded_pairs load_pairs(size_t at) const { return load_two(pairs + word(at)); }
    __device__ bool are_there(loaded_pairs now, uint2 *two) const
    {
        *two = make_uint2(pair_without_phase(now.x), pair_without_phase(now.y));
        return has_phase(now.x, phase) && has_phase(now.y, phase);
    }
    typedef unsigned loaded;
    __device__ loaded load(size_t at) const { return *(volatile unsigned *)(pairs + word(at)); }
    /* Returns the pair that was loaded, once it has been written. Usually an earlier step of the block has
     * waited for the pair, but not if the block had no unit in that step. */
    __device__ unsigned pair(loaded now, size_t at) const
    {
        while (!has_phase(now, phase))
            now = load(at);
        return pair_without_phase(now);
    }
    __device__ static bool is_complete(counted_sum now, unsigned parts, int *sum)
    {
        *sum = (int)(unsigned)now;
        return (unsigned)((now - (counted_sum)(long long)*sum) >> 32) == parts;
    }
    __device__ loaded_sums load_sums(size_t at) const
    {
        return {{packed_word_load((const packed_word_pair *)(sums + word_of_sum(at))),
                 packed_word_load((const packed_word_pair *)(sums + word_of_sum(at + 2)))}};
    }
    __device__ bool are_there(loaded_sums now, unsigned parts, int *four) const
    {
        bool all = is_complete(now.two[0].first, parts, &four[0]);
        all = is_complete(now.two[0].second, parts, &four[1]) && all;
        all = is_complete(now.two[1].first, parts, &four[2]) && all;
        return is_complete(now.two[1].second, parts, &four[3]) && all;
    }
    __device__ static counted_sum counted(unsigned parts, int sum)
    {
        return ((counted_sum)parts << 32) + (counted_sum)(long long)sum;
    }
};

/* Access to words with flags on the board of a single GPU */
struct WordBoard : WordsHere {
    using WordsHere::WordsHere;
    __device__ void put(size_t at, unsigned pair) const
    {
        *(volatile unsigned *)(pairs + word(at)) = with_phase(pair, phase);
    }
    __device__ void add(size_t at, unsigned parts, int sum) const
    {
        atomicAdd(sums + word_of_sum(at), counted(parts, sum));
    }
};

/* Access to words with flags on the boards of several GPUs. It is volatile and therefore has system scope. */
struct WordBoards : WordBoard {
    const board &all;

    __device__ WordBoards(const board &b, unsigned gpu) : WordBoard(b, gpu), all(b) {}
    __device__ void put_on_all(size_t at, unsigned pair) const
    {
        for (unsigned g = 0; g < all.gpus; g++)
            *(volatile unsigned *)(all.pairs[g] + word(at)) = with_phase(pair, phase);
    }
};

#endif
