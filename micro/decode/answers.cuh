/* Compares the results on a member's board, copied to the host, with the reference. */
#ifndef MICRO_DECODE_ANSWERS_CUH
#define MICRO_DECODE_ANSWERS_CUH

#include "micro/decode/board.cuh"

struct board_copy {
    const schedule *work;
    /* true if the words contain flags: a pair its phase, and a sum the number of its parts (counted_sum) */
    bool has_words;
    const unsigned *pairs;
    const void *sums;
    unsigned pairs_of_member;
};

/* Returns result 0 or 1 of a pair. A number outside 8 bits is wrong and becomes 127. */
static int number_of_pair(unsigned pair, size_t which)
{
    int value = (int)(short)(pair >> 16 * which & 0xffffu);
    return value >= -128 && value <= 127 ? value : 127;
}

static int result_left(const board_copy &b, unsigned by_member, place step, unsigned result)
{
    size_t word = (size_t)by_member * b.pairs_of_member + pairs_at(*b.work, step) + result / 2;
    return number_of_pair(b.has_words ? pair_without_phase(b.pairs[WordsHere::word(word)])
                                      : b.pairs[PlainBoard::word(word)],
                          result % 2);
}

static int sum_left(const board_copy &b, place step, unsigned result)
{
    size_t at = sums_at(*b.work, step) + result;
    return b.has_words ? (int)(unsigned)((const counted_sum *)b.sums)[WordsHere::word_of_sum(at)]
                       : ((const int *)b.sums)[PlainBoard::word(at)];
}

static signed char result_on_board(const board_copy &b, unsigned member, unsigned members, place step,
                                   unsigned result)
{
    if (step.kind == ATTENTION)
        return (signed char)model_wrap(sum_left(b, step, result));
    if (!is_divided_by_columns(step.kind))
        return (signed char)result_left(b, member, step, result);
    int sum = 0;
    for (unsigned part = 0; part < members; part++)
        sum += result_left(b, part, step, result);
    return (signed char)model_wrap(sum);
}

static size_t answers_before(const decoder &d, place step)
{
    return (size_t)(step.token * d.layers + step.layer) * results_before(&d, STEPS_OF_LAYER) +
           results_before(&d, step.kind);
}

struct comparison {
    unsigned long long compared, wrong;
};

/* Compares the results of a step on a member's board with `expected`, and copies them to `found`; both are
 * [token][layer][results]. It compares the results that the member computed alone, or the sums of the parts
 * that all members computed. */
static comparison compare_step(const decoder &d, const board_copy &b, unsigned member, unsigned members,
                               place step, const signed char *expected, signed char *found)
{
    const bool is_sum = is_divided_by_columns(step.kind);
    const unsigned count = results_of(&d, step.kind) / (is_sum ? 1 : members);
    const unsigned first = is_sum ? 0 : member * count;
    comparison c = {count, 0};
    for (unsigned i = first; i < first + count; i++) {
        size_t at = answers_before(d, step) + i;
        found[at] = result_on_board(b, member, members, step, i);
        c.wrong += found[at] != expected[at];
    }
    return c;
}

#endif
