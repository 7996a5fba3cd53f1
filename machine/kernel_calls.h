/* The functions that a kernel calls on the memory machine, besides its loads and stores. cuda_machine.h
 * turns CUDA's names into these calls, and machine/cuda/ implements them. Both include this header, so
 * that the compiler compares the declarations. */
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

/* `const`, because a thread's index never changes, so that the compiler need call the function only once. The
 * index is returned by value, because a load of it would be counted. */
struct machine_index machine_thread_index(void) __attribute__((const));
struct machine_index machine_block_index(void) __attribute__((const));
struct machine_index machine_block_dim(void) __attribute__((const));
struct machine_index machine_grid_dim(void) __attribute__((const));
int machine_warp_size(void) __attribute__((const));
unsigned machine_whole_warps(unsigned number) __attribute__((const));      /* returns number / warp size */
unsigned machine_of_no_whole_warp(unsigned number) __attribute__((const)); /* returns number % warp size */
/* returns whether the machine is one of the abstract machines umm:W,L and dmm:W,L, and not that of a GPU */
int machine_is_pure(void) __attribute__((const));
/* returns whether the caller is a kernel and not host code */
int machine_is_running(void);
int machine_lane(void) __attribute__((const)); /* returns the thread's number in its warp */
void *machine_dynamic_shared(void) __attribute__((const));
/* returns the counter that the barrier of a cooperative grid uses */
unsigned *machine_grid_workspace(void) __attribute__((const));

void machine_syncthreads(void);
/* __syncthreads, which returns the number of the block's threads whose predicate is not 0. */
int machine_syncthreads_count(int predicate);
/* Says that the caller's next machine_syncthreads() is the one with this number in the source, from 1 on. */
void machine_barrier_place(int place);
void machine_syncwarp(uint64_t mask);
/* How `lane` chooses the lane that a shuffle reads, within the caller's group of `width` lanes: by its
 * number, by the distance below or above the caller, or by the XOR with the caller's number. */
enum machine_shuffle_mode { SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };
uint64_t machine_shuffle(uint64_t mask, uint64_t value, enum machine_shuffle_mode mode, int lane, int width);
uint64_t machine_ballot(uint64_t mask, int predicate);
/* Returns the lanes whose value equals the caller's, bit for bit. If `all` is true, returns all lanes of the
 * mask or none. */
uint64_t machine_match(uint64_t mask, uint64_t value, int all);
/* Returns the sum of the lanes' values, or another combination of them. */
enum machine_reduction {
    REDUCTION_ADD,
    REDUCTION_MIN,
    REDUCTION_MAX,
    REDUCTION_SIGNED_MIN,
    REDUCTION_SIGNED_MAX,
    REDUCTION_AND,
    REDUCTION_OR,
    REDUCTION_XOR
};
uint32_t machine_reduce(uint64_t mask, uint32_t value, enum machine_reduction operation);
/* Fences. A kernel's loads and stores need no call: plain ones are weak, volatile ones are relaxed at
 * system scope. */
void machine_fence(enum machine_scope scope, enum machine_order order);
uint32_t machine_load_32(const void *address, enum machine_scope scope, enum machine_order order);
void machine_store_32(void *address, uint32_t value, enum machine_scope scope, enum machine_order order);
uint64_t machine_load_64(const void *address, enum machine_scope scope, enum machine_order order);
/* Load or store 1, 2, 4, 8 or 16 bytes with this scope and order. */
/* These do the same for an address that may be on the thread's own stack, and also work in host code. */
uint32_t machine_load_any_32(const void *address, enum machine_scope scope, enum machine_order order);
uint64_t machine_load_any_64(const void *address, enum machine_scope scope, enum machine_order order);
void machine_load_bytes(void *to, const void *address, unsigned bytes, enum machine_scope scope,
                        enum machine_order order);
void machine_store_bytes(void *address, const void *from, unsigned bytes, enum machine_scope scope,
                         enum machine_order order);
long long machine_clock(void);
/* Lets the thread sleep until its multiprocessor's timer wakes it, which takes less than twice this number of
 * nanoseconds (PTX ISA, nanosleep). Without sleep_latency in the machine's description it only pauses. */
void machine_sleep(unsigned nanoseconds);
void machine_pause(void); /* makes a request that only takes time, as a read of the clock does */

/* Functions that are one instruction on a GPU and many on a CPU (machine/cuda/intrinsics.c). */
uint32_t machine_dp4a(uint32_t a, uint32_t b, uint32_t c) __attribute__((const));
uint32_t machine_dp2a(uint32_t a, uint32_t b, uint32_t c) __attribute__((const));
uint32_t machine_byte_perm(uint32_t low, uint32_t high, uint32_t selector) __attribute__((const));
uint32_t machine_add_pairs(uint32_t a, uint32_t b) __attribute__((const));
uint32_t machine_max_pairs(uint32_t a, uint32_t b, uint32_t c) __attribute__((const));
uint32_t machine_add_max_pairs(uint32_t a, uint32_t b, uint32_t c, uint32_t d) __attribute__((const));

/* The lock unit (Li 2015, section 3.2), for 4-byte words of shared memory on a machine with lock bits.
 * machine_lock_load() is LDSLK: it loads the word, and takes its lock bit if the bit is free. STSUL stores
 * the word and frees its bit. */
uint32_t machine_lock_load(const void *address, int *acquired);
void machine_store_unlock(void *address, uint32_t value);
/* An arrival at a named barrier: bar.sync if `wait` is true, otherwise bar.arrive. */
void machine_named_barrier(int barrier, int threads, int wait);
/* Waits at the barrier of a tile of several warps, from 0 to TILE_BARRIERS - 1, for this number of
 * threads. */
#define TILE_BARRIERS 30
void machine_tile_barrier(int tile, int threads);
/* Two functions that change an mbarrier's word (machine/memory/mbarrier.h) and return the word before the
 * change. machine_mbarrier_arrive() makes one arrival. machine_mbarrier_change() makes the phase wait for
 * `bytes` more bytes (fewer if negative) and makes `arrivals` arrivals; `drops` of the threads that arrive
 * will not arrive in later phases. */
uint64_t machine_mbarrier_arrive(void *address, enum machine_scope scope, enum machine_order order);
uint64_t machine_mbarrier_change(void *address, int32_t bytes, uint32_t arrivals, uint32_t drops,
                                 enum machine_scope scope, enum machine_order order);
/* Tells the machine that this number of arithmetic instructions come before the next request, each of
 * which depends on the one before. */
void machine_arithmetic(int instructions);
/* machine_convergence_set() is SSY, which sets a convergence point; machine_convergence_wait() arrives
 * at it. Both have no effect on a machine with independent threads. */
void machine_convergence_set(void);
void machine_convergence_wait(void);

/* Tells the machine that the kernel does not use the old value of the next atomic operation. */
void machine_ask_for_no_value(void);
/* Tells the machine that the thread's next access is to an mbarrier. */
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
    OPERATION_INCREMENT, /* adds 1; stores 0 instead if the old value is `value` or more */
    OPERATION_DECREMENT, /* subtracts 1; stores `value` instead if the old value is 0 or more than `value` */
    OPERATION_ADD_FLOAT  /* adds floating-point numbers: float if the size is 4 bytes, double if it is 8 */
};
/* Does an atomic operation on 2, 4 or 8 bytes and returns the old value. Only a compare-and-swap uses
 * `expected`. */
uint64_t machine_atomic(enum machine_operation operation, void *address, unsigned bytes, uint64_t value,
                        uint64_t expected, enum machine_scope scope, enum machine_order order);

int machine_is_shared(const void *address); /* is the generic address in shared memory? */
/* Converts a generic address in shared memory to the 32-bit address that instructions for shared memory
 * take, and back. */
uint32_t machine_shared_offset(const void *address) __attribute__((const));
void *machine_shared_address(uint64_t offset) __attribute__((const));

/* ---- asynchronous copies: machine/engine/copies.h ---- */

/* Tells the machine that the thread has just initialized an mbarrier. */
void machine_mbarrier_begins(const void *mbarrier);

/* cp.async: copies the first `bytes_from` bytes, and sets the rest of `bytes` to zero. The copy belongs
 * to the thread's open copy group. */
void machine_copy_small(void *to, const void *from, unsigned bytes, unsigned bytes_from);
/* cp.async.bulk. When complete, the copy reports its bytes to the mbarrier; if `mbarrier` is NULL, the
 * copy belongs to the thread's open copy group of bulk copies. */
void machine_copy_bulk(void *to, const void *from, unsigned bytes, void *mbarrier);
/* cp.reduce.async.bulk of elements of 4 or 8 bytes; `mbarrier` is as in machine_copy_bulk(). */
void machine_reduce_bulk(enum machine_operation operation, void *to, const void *from, unsigned bytes,
                         unsigned element, void *mbarrier);
/* st.async and red.async of up to 16 bytes. The bytes at `value` are read before the call returns. */
void machine_store_async(void *to, const void *value, unsigned bytes, void *mbarrier);
/* machine_copies_commit() commits the thread's open copy group. machine_copies_wait() waits until all of
 * the thread's copy groups but the last `left` are complete or, if `reads` is true, have read. */
void machine_copies_commit(int bulk);
void machine_copies_wait(int bulk, unsigned left, int reads);
/* cp.async.mbarrier.arrive: the mbarrier gets an arrival when the copies that the thread has issued by
 * cp.async are complete. Unless `noinc` is true, the present phase then needs one arrival more. */
void machine_copies_arrive(void *mbarrier, int noinc);
/* A proxy fence of the thread; `which` has one or several bits of enum proxy_fence (machine/scopes.h). */
void machine_proxy_fence(unsigned which);
/* griddepcontrol.wait */
void machine_await_kernel_before(void);

/* ---- clusters: machine/engine/clusters.h ---- */

/* returns the number of blocks in the cluster; 1 if the launch has no clusters */
unsigned machine_cluster_blocks(void) __attribute__((const));
/* returns the rank of the thread's block in its cluster */
unsigned machine_cluster_rank(void) __attribute__((const));
void machine_cluster_arrive(enum machine_order order);
void machine_cluster_wait(enum machine_order order);
/* Both return the address of the corresponding place in the shared memory of the cluster's block with
 * this rank: machine_cluster_offset() as a 32-bit shared-memory address, machine_cluster_address() as a
 * generic address. */
uint32_t machine_cluster_offset(uint32_t offset, unsigned rank) __attribute__((const));
void *machine_cluster_address(const void *address, unsigned rank) __attribute__((const));

#ifdef __cplusplus
}
#endif

#endif
