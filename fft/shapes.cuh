/* The shape of the FFT with few barriers for each size (fft/few_barriers.cuh, fft/three_passes.cuh). */
#ifndef FFT_SHAPES_CUH
#define FFT_SHAPES_CUH

#include "fft/three_passes.cuh"
#include "harness/experiment.h"

#define FEW_LEAST 10 /* log2 of the least N for which there is a shape */
/* log2 of the largest N; the memory machine would take days for more */
#define FEW_MOST MACHINE_OR_GPU(24, 28)
#define MOST_IN_TWO_PASSES 24 /* log2 of the largest N with at most two passes */

/* Calls `call` with the shape for 2^log_n values. */
template <class Call>
static void with_few_shape(int log_n, Call call)
{
    switch (log_n) {
    case 10:
        return call(few_line<lines<10, 3, 0, 0>>());
    case 11:
        return call(few_line<lines<11, 4, 0, 0>>());
    case 12:
        return call(few_line<lines<12, 4, 0, 0>>());
    case 13:
        return call(few_shape<lines<7, 2, 2, 0>, lines<6, 2, 3, 0>>());
    case 14:
        return call(few_shape<lines<7, 2, 2, 0>, lines<7, 2, 2, 0>>());
    case 15:
        return call(few_shape<lines<8, 3, 2, 0>, lines<7, 2, 2, 0>>());
    case 16:
        return call(few_shape<lines<8, 3, 2, 0>, lines<8, 3, 2, 0>>());
    case 17:
        return call(few_shape<lines<9, 3, 2, 0>, lines<8, 3, 3, 0>>());
    case 18:
        return call(few_shape<lines<9, 3, 2, 0>, lines<9, 3, 2, 0>>());
    case 19:
        return call(few_shape<lines<10, 4, 2, 0>, lines<9, 3, 2, 0>>());
    case 20:
        return call(few_shape<lines<10, 5, 3, 0>, lines<10, 5, 3, 0>>());
    case 21:
        return call(few_shape<lines<10, 4, 4, 1>, lines<11, 4, 3, 1>>());
    case 22:
        return call(few_shape<lines<11, 4, 3, 1, true>, lines<11, 4, 3, 1, true>>());
    case 23:
        return call(few_shape<lines<12, 4, 2, 1, true>, lines<11, 4, 3, 1, true>>());
    case 24:
        return call(few_shape<lines<12, 4, 2, 1, true>, lines<12, 4, 2, 1, true>>());
    case 25:
        return call(three_shape<lines<9, 4, 5, 1, true>, lines<8, 4, 6, 1, true>, lines<8, 4, 6, 1, true>>());
    case 26:
        return call(three_shape<lines<9, 4, 5, 1, true>, lines<9, 4, 5, 1, true>, lines<8, 4, 6, 1, true>>());
    case 27:
        return call(
            three_shape<lines<9, 4, 5, 1, true>, lines<10, 4, 4, 1, true>, lines<8, 4, 6, 1, true>>());
    case 28:
        return call(
            three_shape<lines<10, 4, 4, 1, true>, lines<10, 4, 4, 1, true>, lines<8, 4, 6, 1, true>>());
    }
}

#endif
