// The last block of a sum adds the others' parts. Without a fence after its count it may read old parts, but
// only if its own fence came before that of another block: the order of two fences is no order of the parts.
// With -DBY_LOCK, block 0 writes before it takes a lock, and block 1 reads after it has had the lock. The
// lock orders the two only if block 0 comes first; in the other order there is a race.
// With -DSTRONG no access is weak, so what lacks a fence is no race, and only the answer is wrong.
// With -DIN_TURN=..., blocks take pieces of work in turn; a word in shared memory is overwritten.
//
// expect: right
// expect -DBROKEN --runs 2: race "total += w->data[b]" "w->data[block] = block" "an acquire after the read"
// expect -DNO_RELEASE: race "total += w->data[b]" "w->data[block] = block" "(fence.release.gpu, or"
// expect -DBY_LOCK: race "w->data[0] = 2" "w->other[1] = w->data[0] + 1"
// expect -DBY_LOCK -DINSIDE: right
// expect -DSTRONG: right
// expect -DSTRONG -DBROKEN: wrong "an acquire after the read at " "expect(look(&w->data[0])"
// expect -DIN_TURN=__syncthreads(): right
// expect -DIN_TURN=: race "piece = atomicAdd(" "mine = piece;" "__syncthreads(), or a flag, after"
#include "tools/bugs/bug.h"

#ifdef IN_TURN
BUG(2, 64)
{
    __shared__ unsigned piece;
    for (;;) {
        if (thread == 0)
            piece = atomicAdd(&w->count, 1);
        __syncthreads();
        unsigned mine = piece;
        if (mine >= 6)
            break;
        atomicAdd(&w->data[mine], 1);
        IN_TURN;
    }
}
#elif defined STRONG
BUG(2, 1)
{
    if (block == 0) {
        set(&w->data[0], 1);
        __threadfence();
        set(&w->flag, 1);
    } else {
        WAIT_UNTIL(look(&w->flag))
#ifndef BROKEN
        __threadfence();
#endif
        expect(look(&w->data[0]), 1, wrong);
    }
}
#elif defined BY_LOCK
__device__ void acquire(unsigned *lock)
{
    while (atomicCAS(lock, 0, 1)) {
    }
    __threadfence();
}

__device__ void release(unsigned *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

BUG(2, 1)
{
    if (block == 0) {
#ifndef INSIDE
        w->data[0] = 2;
#endif
        acquire(&w->lock);
#ifdef INSIDE
        w->data[0] = 1;
#endif
        w->count++;
        release(&w->lock);
    } else {
        for (int i = 0; i < 100; i++)
            w->other[0] = i;
        acquire(&w->lock);
        w->count++;
#ifdef INSIDE
        w->other[1] = w->data[0];
#endif
        release(&w->lock);
#ifndef INSIDE
        w->other[1] = w->data[0] + 1;
#endif
    }
}
#else
BUG(3, 1)
{
    w->data[block] = block;
#ifndef NO_RELEASE
    __threadfence();
#endif
    bool is_last = atomicAdd(&w->count, 1) == 2;
#ifndef BROKEN
    __threadfence();
#endif
    if (!is_last)
        return;
    unsigned total = 0;
    for (int b = 0; b < 3; b++)
        total += w->data[b];
    expect(total, 3, wrong);
}
#endif
