/* Scopes and orders of accesses and fences (PTX ISA, "Memory Consistency Model"), for the machine's C, its
 * kernels and the tests. */
#ifndef MACHINE_SCOPES_H
#define MACHINE_SCOPES_H

/* The threads for which an access is meant: a weak access is for its own thread only; a strong one has a
 * wider scope. */
enum machine_scope { SCOPE_THREAD, SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_SYSTEM };

/* Release and acquire are bits: an order that has both is both. */
enum machine_order {
    ORDER_RELAXED = 0,
    ORDER_ACQUIRE = 1,
    ORDER_RELEASE = 2,
    ORDER_ACQUIRE_RELEASE = 3,
    ORDER_SEQUENTIAL = 7 /* fence.sc */
};

/* What a proxy fence hands on to the asynchronous proxy: accesses to shared memory, to global memory, or
 * only what the thread itself wrote. */
enum proxy_fence { PROXY_SHARED = 1, PROXY_GLOBAL = 2, PROXY_OWN_WRITES = 4 };

#endif
