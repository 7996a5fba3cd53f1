/*
 * The functions that a kernel calls on the memory machine, besides its loads and stores: cuda_machine.h turns
 * CUDA's names into these calls, and hooks.c implements them. Both include this header, so the compiler
 * compares the declarations.
 */
#ifndef MACHINE_KERNEL_CALLS_H
#define MACHINE_KERNEL_CALLS_H

#include "machine/scopes.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct machine_index {
    unsigned x, y, z;
};

/* `const`: a thread's index never changes, so the compiler may call once. By value: a
 * load would be counted. */
struct machine_index machine_thread_index(void) __attribute__((const));
struct machine_index machine_block_index(void) __attribute__((const));
struct machine_index machine_block_dim(void) __attribute__((const));
struct machine_index machine_grid_dim(void) __attribute__((const));
int machine_warp_size(void) __attribute__((const));
unsigned machine_whole_warps(unsigned number) __attribute__((const));      /* divided by the warp size */
unsigned machine_of_no_whole_warp(unsigned number) __attribute__((const)); /* what is left of it then */
int machine_is_pure(void) __attribute__((const)); /* umm:W,L or dmm:W,L, and no model of a GPU */
int machine_is_running(void);                     /* a kernel, and not the host's code */
int machine_lane(void) __attribute__((const));    /* the thread's place in its warp */
void *machine_dynamic_shared(void) __attribute__((const));
unsigned *machine_grid_workspace(void) __attribute__((const)); /* of cooperative groups */

void machine_syncthreads(void);
void machine_syncwarp(uint64_t mask);
/* A shuffle from the lane that `lane` determines: its number, or the distance above or below, or the XOR with
 * the own number, within the lane's group of `width`. */
enum machine_shuffle_mode { SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };
uint64_t machine_shuffle(uint64_t mask, uint64_t value, enum machine_shuffle_mode mode, int lane, int width);
uint64_t machine_ballot(uint64_t mask, int predicate);
/* Loads and stores need no call: plain ones are weak, volatile ones relaxed at system scope. */
void machine_fence(enum machine_scope scope, enum machine_order order);
uint32_t machine_load_32(const void *address, enum machine_scope scope, enum machine_order order);
void machine_store_32(void *address, uint32_t value, enum machine_scope scope, enum machine_order order);
uint64_t machine_load_64(const void *address, enum machine_scope scope, enum machine_order order);
/* Of 1, 2, 4, 8 or 16 bytes. */
void machine_load_bytes(void *to, const void *address, unsigned bytes, enum machine_scope scope,
                        enum machine_order order);
void machine_store_bytes(void *address, const void *from, unsigned bytes, enum machine_scope scope,
                         enum machine_order order);
long long machine_clock(void);

/* Functions that are one instruction on a GPU and many on a CPU: see intrinsics.c. */
uint32_t machine_dp4a(uint32_t a, uint32_t b, uint32_t c) __attribute__((const));
uint32_t machine_dp2a(uint32_t a, uint32_t b, uint32_t c) __attribute__((const));
uint32_t machine_byte_perm(uint32_t low, uint32_t high, uint32_t selector) __attribute__((const));
uint32_t machine_add_pairs(uint32_t a, uint32_t b) __attribute__((const));
uint32_t machine_max_pairs(uint32_t a, uint32_t b, uint32_t c) __attribute__((const));
uint32_t machine_add_max_pairs(uint32_t a, uint32_t b, uint32_t c, uint32_t d) __attribute__((const));

/*
 * The lock unit (Li 2015, section 3.2), for 4-byte words of shared memory on a machine with lock bits. LDSLK
 * loads the word, and takes its lock bit if the bit is free. STSUL stores the word and frees its bit.
 */
uint32_t machine_lock_load(const void *address, int *acquired);
void machine_store_unlock(void *address, uint32_t value);
/* bar.sync and bar.arrive */
void machine_named_barrier(int barrier, int threads, int wait);
/* The word before (machine/memory/mbarrier.h). */
uint64_t machine_mbarrier_arrive(void *address, enum machine_scope scope, enum machine_order order);
uint64_t machine_mbarrier_change(void *address, int32_t bytes, uint32_t arrivals, uint32_t drops,
                                 enum machine_scope scope, enum machine_order order);
/* This number of arithmetic instructions, each of which depends on the one before, lies
 * before the next request. */
void machine_arithmetic(int instructions);
/* SSY, and the arrival at the point that it set; no effect on a machine with independent threads. */
void machine_convergence_set(void);
void machine_convergence_wait(void);

/* The old value of the next atomic operation is not used. */
void machine_ask_for_no_value(void);
/* The next access is one of an mbarrier. */
void machine_use_mbarrier(void);
uint32_t machine_atomic_add_32(void *address, uint32_t value, enum machine_scope scope,
                               enum machine_order order);
uint64_t machine_atomic_add_64(void *address, uint64_t value, enum machine_scope scope,
                               enum machine_order order);
uint32_t machine_atomic_max_32(void *address, uint32_t value, enum machine_scope scope,
                               enum machine_order order);
uint32_t machine_atomic_exchange_32(void *address, uint32_t value, enum machine_scope scope,
                                    enum machine_order order);
uint32_t machine_atomic_compare_swap_32(void *address, uint32_t expected, uint32_t value,
                                        enum machine_scope scope, enum machine_order order);
/* The old value, of 2, 4 or 8 bytes; `expected` is of compare-and-swap alone. */
enum machine_operation {
    OPERATION_ADD,
    OPERATION_EXCHANGE,
    OPERATION_COMPARE_SWAP,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_MIN,
    OPERATION_MAX,
    OPERATION_MIN_SIGNED,
    OPERATION_MAX_SIGNED,
    OPERATION_INCREMENT, /* to 0 behind `value` */
    OPERATION_DECREMENT, /* to `value` behind 0 */
    OPERATION_ADD_FLOAT  /* of 4 bytes or 8 */
};
uint64_t machine_atomic(enum machine_operation operation, void *address, unsigned bytes, uint64_t value,
                        uint64_t expected, enum machine_scope scope, enum machine_order order);

/* An address of shared memory as 32 bits, as the instructions for shared memory take it; and back. */
uint32_t machine_shared_offset(const void *address) __attribute__((const));
void *machine_shared_address(uint64_t offset) __attribute__((const));

/* ---- asynchronous copies: machine/engine/copies.h ---- */

/* The thread has just written an mbarrier's first word. */
void machine_mbarrier_begins(const void *mbarrier);

/* cp.async: of the first `bytes_from` bytes, and zeros; it belongs to the thread's open group. */
void machine_copy_small(void *to, const void *from, unsigned bytes, unsigned bytes_from);
/* cp.async.bulk: its bytes complete a transaction of the mbarrier, or (NULL) it belongs to the thread's open bulk group. */
void machine_copy_bulk(void *to, const void *from, unsigned bytes, void *mbarrier);
/* cp.reduce.async.bulk of elements of 4 or 8 bytes; likewise. */
void machine_reduce_bulk(enum machine_operation operation, void *to, const void *from, unsigned bytes,
                         unsigned element, void *mbarrier);
/* st.async and red.async of a value of up to 16 bytes, which is at `value` now. */
void machine_store_async(void *to, const void *value, unsigned bytes, void *mbarrier);
/* The open group ends; a wait for all but the last `left` groups, or until they have read (`reads`). */
void machine_copies_commit(int bulk);
void machine_copies_wait(int bulk, unsigned left, int reads);
/* cp.async.mbarrier.arrive: the mbarrier gets an arrival when the thread's copies by cp.async are complete; it is one more
 * that the phase waits for unless `noinc`. */
void machine_copies_arrive(void *mbarrier, int noinc);
/* Of enum proxy_fence (machine/scopes.h), one or several. */
void machine_proxy_fence(unsigned which);
/* griddepcontrol.wait */
void machine_await_kernel_before(void);

/* ---- clusters: machine/engine/clusters.h ---- */

unsigned machine_cluster_blocks(void) __attribute__((const)); /* 1: no cluster */
unsigned machine_cluster_rank(void) __attribute__((const));   /* of the thread's block */
void machine_cluster_arrive(enum machine_order order);
void machine_cluster_wait(enum machine_order order);
/* The address, as 32 bits or generic, of what the block of that rank has in the same place. */
uint32_t machine_cluster_offset(uint32_t offset, unsigned rank) __attribute__((const));
void *machine_cluster_address(const void *address, unsigned rank) __attribute__((const));

#ifdef __cplusplus
}
#endif

#endif
