/*
 * The tags that the blocked kernel (swat/batch/blocked_kernel.cuh) carries in the lowest four bits of each
 * score: they say where the score came from. The larger tag wins among equal scores, so the order of tags is
 * GATK's preference: from the north-west before a gap along the row, which is before a gap down the column;
 * and a longer gap before a shorter one.
 *
 * The tag of a gap says in which row of its group of seven rows it began, or in which step of its segment of
 * six steps it began; or that it began earlier than that. When a gap leaves its group or its segment, its tag
 * is stored as a note beside the tags of cells, and is then replaced by a tag OLDER. The trace-back follows
 * the notes to the place where the gap was opened.
 *
 * A word has the tags of a group's rows and, in its highest bits, the tag of the gap down the column that
 * leaves the group. Notes of the gaps along the rows have a column of their own before each segment of steps,
 * so that all tags together are two thirds of a byte for each cell. All tags are written once, and the
 * trace-back reads few of them.
 */
#ifndef SWAT_BATCH_BLOCKED_TAGS_CUH
#define SWAT_BATCH_BLOCKED_TAGS_CUH

#include "swat/batch/batch_kernels.cuh"
#include "swat/batch/blocked.h"

/* The tags of scores, which say where a score came from. For a gap down the column, the tag says in which row
 * the gap began. For a gap along the row, it says in which step the gap began. NORTH_WEST means no gap. */
enum {
    /* DOWN_PLACE - n is the tag of a gap down the column that began in row n of its group of BLOCKED_TAG_ROWS
     * rows */
    DOWN_PLACE = BLOCKED_TAG_ROWS - 1,
    DOWN_OLDER = BLOCKED_TAG_ROWS,
    ROW_LEAST = DOWN_OLDER + 1,
    /* ROW_PLACE - n is the tag of a gap along the row that began in step n of its segment of BLOCKED_SEGMENT
     * steps */
    ROW_PLACE = ROW_LEAST + BLOCKED_SEGMENT - 1,
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
