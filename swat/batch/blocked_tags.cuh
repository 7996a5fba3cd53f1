/*
 * What the blocked kernel (swat/batch/blocked_kernel.cuh) carries below each score: four bits that say where the score
 * came from. The larger tag wins among equal scores, so that the order of tags is GATK's preference: from the
 * north-west, before a gap along the row, before one down the column; and a longer gap before a shorter one.
 *
 * A gap's tag says in which row of its group of seven it began, or in which of its stretch of six steps; or that
 * it is older than that. When a gap leaves its group or its stretch, its tag is noted beside the tags of cells, and
 * becomes OLDER. The trace-back goes from note to note to where the gap was opened.
 *
 * A word has the tags of a group's rows, and above them that of the gap down the column that leaves the group. Notes of
 * the gaps along the rows have a column of their own behind each stretch, so that all tags together are two
 * thirds of a byte a cell. They are written once and hardly read.
 */
#ifndef SWAT_BATCH_BLOCKED_TAGS_CUH
#define SWAT_BATCH_BLOCKED_TAGS_CUH

#include "swat/batch/batch_kernels.cuh"
#include "swat/batch/blocked.h"

/* Of a gap down the column, by its first row; of one along the row, by its first step. */
enum {
    DOWN_PLACE = BLOCKED_TAG_ROWS - 1, /* less the row's number in its group */
    DOWN_OLDER = BLOCKED_TAG_ROWS,
    ROW_LEAST = DOWN_OLDER + 1,
    ROW_PLACE = ROW_LEAST + BLOCKED_STRETCH - 1, /* less the step's number in its stretch */
    ROW_OLDER = ROW_PLACE + 1,
    NORTH_WEST = ROW_OLDER + 1,
    TAG_MASK = (1 << TAG_BITS) - 1
};
static_assert(NORTH_WEST == TAG_MASK, "all tags are used");
static_assert((DOWN_OLDER & ROW_LEAST) == 0,
              "any tag of a gap down the column, or DOWN_OLDER, is DOWN_OLDER");

static __device__ __forceinline__ int tagged(int score, int tag = 0)
{
    return score * (1 << TAG_BITS) + tag;
}

#endif
