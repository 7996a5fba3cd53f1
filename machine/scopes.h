/* Scopes and orders of accesses and fences (PTX ISA, "Memory Consistency Model"), for the machine itself,
 * for its kernels and for the tests. */
#ifndef MACHINE_SCOPES_H
#define MACHINE_SCOPES_H

/* The scope of an access: the threads for which it is meant. A weak access is for its own thread only; a
 * strong one has a wider scope. */
enum machine_scope { SCOPE_THREAD, SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_DEVICE, SCOPE_SYSTEM };

/* The memory order of an access or fence. Release and acquire are bits; an order that has both bits has
 * both effects. Bit 0 is free, so that order << 2 leaves the three bits of a scope (litmus_access.cuh). */
enum machine_order {
    ORDER_RELAXED = 0,
    ORDER_ACQUIRE = 2,
    ORDER_RELEASE = 4,
    ORDER_ACQUIRE_RELEASE = 6,
    ORDER_SEQUENTIAL = 14, /* fence.sc */
    /* A bit of an atomic whose result says nothing of other threads, as an arrival at an mbarrier: the atomic
     * never acquires, not even in a what-if world (machine/weak/memory_model.h). */
    ORDER_ARRIVAL = 16
};

/* What a proxy fence makes known to the asynchronous proxy: what the thread knows about shared memory, what
 * it knows about global memory, or only what the thread itself wrote. The values are bits. */
enum proxy_fence { PROXY_SHARED = 1, PROXY_GLOBAL = 2, PROXY_OWN_WRITES = 4 };

#endif
