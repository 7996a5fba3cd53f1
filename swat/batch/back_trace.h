/* The size of the back-trace matrices of SW1 and SW2 (swat/batch/batch_kernels.cuh). */
#ifndef SWAT_BACK_TRACE_H
#define SWAT_BACK_TRACE_H

#include <stddef.h>

#define STRIP 32 /* number of rows of a strip, and of steps of a chunk: BSIZE in Wang, Xie and Cong 2017 */
#define STEPS_PER_WORD 8

/* The number of chunks in which a strip is filled. A strip has STRIP - 1 more steps than columns, because
 * each lane begins one step after the lane above it. */
#define SW_CHUNKS(columns) (((columns) + STRIP - 1 + STRIP - 1) / STRIP)

/* Returns the number of words of the back-trace matrix of a task with this number of rows and columns. */
static inline size_t sw_back_words(int rows, int columns)
{
    return (size_t)((rows + STRIP - 1) / STRIP) * (size_t)SW_CHUNKS(columns) * (STRIP / STEPS_PER_WORD) *
           STRIP;
}

#endif
