/* Ranks the pairs of a search by their scores. */
#ifndef SWAT_RANKING_H
#define SWAT_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the numbers of `count` scores, none of which is negative, by falling score; equal scores are in the
 * order of their numbers. The caller frees them with free(). */
unsigned *rank_scores(const int *scores, size_t count);

/* Returns whether `ranking` has the number of each of `count` scores once, and in this order. */
bool is_ranking(const unsigned *ranking, const int *scores, size_t count);

#ifdef __cplusplus
}
#endif

#endif
