/*
 * Formulas over the results of a device, as results/papers/claims.json has them: numbers, + - * / and brackets,
 * min(A, B), max(A, B), and of results (FILE in single quotes: 'fft' is the main sweep of fft.json, 'fft@sizes' its sweep
 * "sizes", 'fft@paper,main' the sweep "paper", or the main one where there is none):
 *
 *     round(FILE, VARIANT, BLOCKS)         microseconds of an operation, of a round say; BLOCKS: a number, `all`
 *     total(FILE, VARIANT, BLOCKS)         milliseconds of a run              (multiprocessors), `any`, `best`,
 *                                                               `best:OTHER`, the best of another variant, or of the
 *                                                               `largest` size
 *     of_size(FILE, VARIANT, SIZE)         microseconds of a run of this size, at its best number of blocks
 *     fastest(FILE, VARIANT, FEWEST, MOST) milliseconds of its fastest run with so many blocks
 *     chain(VARIANT, WARPS)                the median of micro-producer-consumer
 *     of_warps(VARIANT, WARPS, NAME)       a number of that point
 *     reference(FILE)                      milliseconds of the sequential reference
 *     field(FILE, VARIANT, NAME)           a number of the variant's first point
 *     field(FILE, VARIANT, NAME, SIZE)     of its first point of this size, or of the `largest`
 *     clock(FILE)                          gigahertz
 *     model(KERNEL, NAME)                  what report/shuffle.h has of Wang's SW1, SW2, PH1 or PH2
 *     analysis(FILE, NAME)                 a number of the analysis; ms10000(...): in milliseconds of 10,000
 *     cards(FILE, FACTOR)                  by how much two cards of the model differ (report/cards.h)
 *     crossing(FILE, A, B)                 the number of blocks from which on A takes longer than B, and below which it
 *                                          takes less; infinite: never longer; minus infinite: always
 *     from(FILE, A, B)                     the number of blocks from which on A always does; infinite: none
 *     slower(FILE, A, B)                   at how many numbers of blocks it does, or sizes
 *     slower(FILE, A, B, FEWEST, MOST)     at how many of those numbers of blocks
 *     points(FILE, VARIANT)                how many points a variant has
 *     flat(FILE, VARIANT)                  most over least time of an operation, from 9 to 30 blocks
 *     wrong(FILE)                          percent of the points of unordered barriers that are wrong
 *     wrong(FILE, VARIANT)                 of this one's
 *     scatter(FILE, VARIANT)               most over least of all its points' times of an operation
 *     bound(VARIANT)                       the study's time over the bound counted in the paper's listing: largest
 *     barriers(VARIANT), threads(VARIANT)  by how many the study's differ from the listing's, and from Table 1's: most
 *     barriers_by_n(VARIANT)               and from each other, for n above w l, all else equal
 *     barriers(VARIANT, N, WIDTH, LATENCY) as many as a run of it must have
 *     least(TERM)                          the study's time over a term of the lower bound: smallest
 *     schedules(VARIANT)                   the study's most over least time by schedule, all else equal
 *     share(FILE, VARIANT, WHAT)           percent of its time, at its best, in `computation`, `refill` of L1, or `rest`
 *     paper(PAPER, NAME)                   a number of results/papers/PAPER.json
 *     listed(PAPER, NAME, KEYS, KEY)       of its list NAME the one at the place that KEY has in its list KEYS
 *     sms(FILE)                            multiprocessors
 *     complete(TRACE)                      when the last request of the study's figure_2 or figure_3 is complete
 *
 * Of the point that the sources name, where formulas are a table's rows (report/rows.h):
 *
 *     time()                               microseconds of a run
 *     operation()                          of an operation
 *     member(NAME)                         a number of it; 1 or 0 for true and false
 */
#ifndef REPORT_FORMULA_H
#define REPORT_FORMULA_H

#include "report/results.h"

/* A value and the interval that the 95 % intervals of its medians bound; what is missing, or "". */
struct value {
    double is, low, high;
    char missing[160];
};

/* The results of a folder that formulas have asked for, each read once. {.folder = ...} to begin with. */
#define MOST_SOURCES 64
struct sources {
    const char *folder;
    const struct result *result; /* with `point`, of which formulas of no name speak; NULL: none */
    const cJSON *point;
    struct source {
        char name[64];
        struct result *result; /* NULL: there is none */
    } of[MOST_SOURCES];
    size_t count;
};
void sources_close(struct sources *sources);

/* Exits with EXIT_BAD_INPUT for a formula that cannot be read. */
struct value formula_value(const char *formula, struct sources *sources);

#endif
