/* The points of two devices in pairs, for comparisons (report/compare.c). */
#ifndef REPORT_COMPARE_PAIR_H
#define REPORT_COMPARE_PAIR_H

#include "report/arguments.h"

enum verdict_of_b { FASTER, SLOWER, SAME, UNCLEAR, AS_CARDS, VERDICTS };
extern const char *const verdict_names[];

struct match {
    const char *variant;
    const cJSON *a, *b; /* the two points */
    double blocks_a, blocks_b;
    struct timing ratio; /* device B's time divided by device A's */
    enum verdict_of_b verdict;
};

/* The results of one experiment on both compared devices, A and B. */
struct pair {
    const char *name;
    struct result *a, *b;
    /* the factors by which two cards of one model differ in a point, and in the mean of all points; NaN if
     * unknown */
    double cards, mean_cards;
    struct match *points;
    size_t count;
    size_t wrong; /* number of points that are left out because their results are wrong on A or B */
    const struct arguments *options;
    const char *question;
};

/* The sums from which geometric means are computed: the logarithms of ratios, and of the ends of the ratios'
 * intervals. */
struct mean {
    struct timing logs;
    size_t count;
};

/* A line of the summary: the mean ratio of a question's points and, if known, the factor by which cards of
 * one model differ. */
struct summary_line {
    const char *label;
    struct mean mean;
    double cards;
};

/* Returns the verdict on a ratio of B's time to A's; `cards` is the factor by which cards of one model
 * differ, or NaN. */
enum verdict_of_b verdict_on(struct timing ratio, double cards);

/* Returns whether the point's time is meaningless because its result is wrong. An unordered variant's time
 * keeps its meaning even then: it is the time that the variant takes without the order. */
bool was_wrong(const cJSON *point);

/* Returns whether the comma-separated list `only` names the variant or the result (without its sweep), or is
 * NULL. */
bool is_chosen(const char *only, const char *result, const char *variant);

struct match compare_points(const struct pair *pair, const cJSON *x, const cJSON *y);

/* Compares all points that the results of both devices have. If the times are in different units, says so in
 * `file` and returns false. */
bool match_points(struct pair *pair, FILE *file);

void add_to_mean(struct mean *mean, struct timing ratio);
struct timing mean_of(const struct mean *mean);

/* Returns the lines of the summary, one for each question; the caller frees them. */
struct summary_line *summary_of(const struct pair *pairs, size_t count, size_t *lines_count);

#endif
