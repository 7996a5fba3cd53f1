/* The size of the back-trace matrices of SW1 and SW2 (swat/batch/batch_kernels.cuh). */
#ifndef SWAT_BACK_TRACE_H
#define SWAT_BACK_TRACE_H

#include <stddef.h>

#define STRIP 32 /* rows, and steps: BSIZE of the paper */
#define STEPS_PER_WORD 8

/* The chunks of a strip: lanes begin one after the other. */
#define SW_CHUNKS(columns) (((columns) + STRIP - 1 + STRIP - 1) / STRIP)

/* Words of a task's back-trace matrix. */
static inline size_t sw_back_words(int rows, int columns)
{
    return (size_t)((rows + STRIP - 1) / STRIP) * (size_t)SW_CHUNKS(columns) * (STRIP / STEPS_PER_WORD) *
           STRIP;
}

#endif
