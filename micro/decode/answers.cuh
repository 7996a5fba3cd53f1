/* What a run left on a member's board, copied to the host, beside what the reference says. */
#ifndef MICRO_DECODE_ANSWERS_CUH
#define MICRO_DECODE_ANSWERS_CUH

#include "micro/decode/board.cuh"
#include "micro/decode/schedule.cuh"

struct board_copy {
    bool has_words; /* packed_word and counted_sum, or unsigned and int */
    const void *pairs, *sums;
    unsigned pairs_of_member;
};

/* A result that is no number of 8 bits is wrong, whatever was expected. */
static int number_of_pair(unsigned pair, size_t which)
{
    int value = (int)(short)(pair >> 16 * which & 0xffffu);
    return value >= -128 && value <= 127 ? value : 127;
}

static int result_left(const board_copy &b, unsigned by_member, size_t at)
{
    size_t word = (size_t)by_member * b.pairs_of_member + at / 2;
    return number_of_pair(b.has_words ? (unsigned)((const packed_word *)b.pairs)[WordsHere::word(word)]
                                      : ((const unsigned *)b.pairs)[PlainBoard::word(word)],
                          at % 2);
}

static int sum_left(const board_copy &b, size_t at)
{
    return b.has_words ? (int)(unsigned)((const counted_sum *)b.sums)[WordsHere::word(at)]
                       : ((const int *)b.sums)[PlainBoard::word(at)];
}

/* A step of a layer, counted over tokens. */
struct layer_step {
    size_t layer;
    unsigned kind;
};

static size_t answers_before(const decoder &d, layer_step step)
{
    return step.layer * results_before(&d, STEPS_OF_LAYER) + results_before(&d, step.kind);
}

static signed char result_on_board(const decoder &d, const board_copy &b, unsigned member, unsigned members,
                                   layer_step step, unsigned result)
{
    if (step.kind == ATTENTION)
        return (signed char)model_wrap(sum_left(b, step.layer * d.width + result));
    const size_t at = answers_before(d, step) + result;
    if (!is_divided_by_columns(step.kind))
        return (signed char)result_left(b, member, at);
    int sum = 0;
    for (unsigned part = 0; part < members; part++)
        sum += result_left(b, part, at);
    return (signed char)model_wrap(sum);
}

struct comparison {
    unsigned long long compared, wrong;
};

/* Of a step, a member's board has the member's own results, or the sums of all members' parts. Copies them to `found`;
 * found and expected: [token][layer][results]. */
static comparison compare_step(const decoder &d, const board_copy &b, unsigned member, unsigned members,
                               layer_step step, const signed char *expected, signed char *found)
{
    const bool is_sum = is_divided_by_columns(step.kind);
    const unsigned count = results_of(&d, step.kind) / (is_sum ? 1 : members);
    const unsigned first = is_sum ? 0 : member * count;
    comparison c = {count, 0};
    for (unsigned i = first; i < first + count; i++) {
        size_t at = answers_before(d, step) + i;
        found[at] = result_on_board(d, b, member, members, step, i);
        c.wrong += found[at] != expected[at];
    }
    return c;
}

#endif
