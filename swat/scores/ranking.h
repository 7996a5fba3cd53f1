/* The pairs of a search by their scores. */
#ifndef SWAT_RANKING_H
#define SWAT_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of `count` scores, none of which is negative, by falling score; equal ones in the order of their numbers.
 * To be freed with free(). */
unsigned *rank_scores(const int *scores, size_t count);

/* Is every number of `count` scores there once, and in this order? */
bool is_ranking(const unsigned *ranking, const int *scores, size_t count);

#ifdef __cplusplus
}
#endif

#endif
