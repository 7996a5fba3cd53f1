/* Scopes and orders of accesses and fences (PTX ISA, "Memory Consistency Model"), for the machine itself,
 * for its kernels and for the tests. */
#ifndef MACHINE_SCOPES_H
#define MACHINE_SCOPES_H

/* The scope of an access: the threads for which it is meant. A weak access is for its own thread only; a
 * strong one has a wider scope. */
enum machine_scope { SCOPE_THREAD, SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_DEVICE, SCOPE_SYSTEM };

/* The memory order of an access or fence. Release and acquire are bits; an order that has both bits has
 * both effects. */
enum machine_order {
    ORDER_RELAXED = 0,
    ORDER_ACQUIRE = 1,
    ORDER_RELEASE = 2,
    ORDER_ACQUIRE_RELEASE = 3,
    ORDER_SEQUENTIAL = 7 /* fence.sc */
};

/* What a proxy fence makes known to the asynchronous proxy: what the thread knows about shared memory, what
 * it knows about global memory, or only what the thread itself wrote. The values are bits. */
enum proxy_fence { PROXY_SHARED = 1, PROXY_GLOBAL = 2, PROXY_OWN_WRITES = 4 };

#endif
