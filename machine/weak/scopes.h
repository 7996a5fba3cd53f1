/* Scopes and orders of accesses and fences (PTX ISA, "Memory Consistency Model"); the machine's C, its kernels and
 * the tests all use these. */
#ifndef MACHINE_SCOPES_H
#define MACHINE_SCOPES_H

/* Whom an access is meant for. A weak one is for its own thread alone; what is strong has a wider scope. */
enum machine_scope { SCOPE_THREAD, SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_SYSTEM };

/* Release and acquire are bits: an order that has both is both. */
enum machine_order {
    ORDER_RELAXED = 0,
    ORDER_ACQUIRE = 1,
    ORDER_RELEASE = 2,
    ORDER_ACQUIRE_RELEASE = 3,
    ORDER_SEQUENTIAL = 7 /* fence.sc */
};

#endif
