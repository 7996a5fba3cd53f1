/* vllm-project/vllm#2760: ranks set single bytes of a word of 8 bytes, and a reader polls the whole word.
 * Accesses of different sizes are never morally strong in PTX, so they race in spite of fences. */
// expect: right
// expect -DBROKEN: race "set_byte(&w->flag, block)" "in set_byte() at"
#include "bug.h"

__device__ __forceinline__ void set_byte(unsigned *word, unsigned byte)
{
    *((volatile unsigned char *)word + byte) = 1;
}

BUG(5, 32)
{
    if (thread != 0)
        return;
    if (block < 4) {
        w->data[block] = 7;
        __threadfence();
#ifdef BROKEN
        set_byte(&w->flag, block);
#else
        set(&w->flags[block], 1);
#endif
    } else {
#ifdef BROKEN
        WAIT_UNTIL(*(volatile unsigned *)&w->flag == 0x01010101)
#else
        for (unsigned i = 0; i < 4; i++)
            WAIT_UNTIL(look(&w->flags[i]))
#endif
        __threadfence();
        for (unsigned i = 0; i < 4; i++)
            expect(w->data[i], 7, wrong);
    }
}
