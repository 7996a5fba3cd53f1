/* Ranks the pairs of a search by their scores. */
#ifndef SWAT_RANKING_H
#define SWAT_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the indices of `count` scores, none of which is negative, in descending order of score; equal
 * scores are in the order of their indices. The caller frees them with free(). */
unsigned *rank_scores(const int *scores, size_t count);

/* Returns whether `ranking` is what rank_scores() returns: the index of each of `count` scores exactly once,
 * in descending order of score, equal scores in the order of their indices. */
bool is_ranking(const unsigned *ranking, const int *scores, size_t count);

#ifdef __cplusplus
}
#endif

#endif
