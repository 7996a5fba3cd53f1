/* The arrays that the host has allocated in the devices' memories, and which of their bytes were written. */
#ifndef MACHINE_ARRAYS_H
#define MACHINE_ARRAYS_H

#include "machine/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array {
    uintptr_t begin;
    size_t bytes;
    unsigned device; /* the device that has the array in its memory */
    bool is_of_host; /* may the host access the array, too? */
    bool is_managed; /* was it made by cudaMallocManaged(), or is it a managed variable? */
    bool is_of_heap; /* has a kernel taken it from the heap (machine/cuda/device_heap.c)? */
    /* does the array belong to a graph, which may be launched again after the array was freed? */
    bool is_kept;
    const void *instruction; /* the instruction that allocated the array, for reports */
    const char *name;        /* the array's name in reports; NULL: they name the line of `instruction` */
    /* the address that the array would have if memory began at address 0 and each array were placed after all
     * arrays that exist when it is allocated */
    uint64_t place;
    struct written *written; /* which bytes have been written; NULL if this is not noted */
};

/* distance in bytes between two arrays of cudaMalloc() if accesses are checked; it keeps an access after the
 * end of one array from hitting the next array */
#define BETWEEN_ARRAYS 65536

/* array_note() adds an array that has been allocated, array_forget() removes one that is freed.
 * array_share_with_host() notes that the host may access an array. */
void array_note(const void *memory, size_t bytes, unsigned device, const void *instruction);
void array_forget(const void *memory);
void array_share_with_host(const void *memory);

/* Notes that the array is managed memory, whose migration between host and device takes no time here. */
void array_set_managed(const void *memory);

/* Returns the array that contains the address, or NULL if there is none, for instance for a static
 * variable. The pointer is valid until the next call of a function of this file. */
const struct array *array_of(uintptr_t address);

/* Returns the array that contained the address, among the arrays that were freed last. */
const struct array *array_freed_of(uintptr_t address);

/* A quick test: array_may_be() returns false only if the address is neither in an array nor in watched
 * memory. The address space is divided into parts of 1 MiB. A bit says whether a part, or one with the same
 * number modulo ARRAY_PARTS, has had any such memory. */
#define ARRAY_PARTS 65536u
extern uint64_t array_parts[ARRAY_PARTS / 64];
static inline bool array_may_be(uintptr_t address)
{
    unsigned part = (unsigned)(address >> 20) % ARRAY_PARTS;
    return array_parts[part / 64] >> part % 64 & 1;
}

/* Makes array_may_be() true for bytes that are in no array, but whose accesses by the host are examined. */
void array_watch(uintptr_t begin, size_t bytes);

/* Returns the array that contains the address, or NULL if the host may not access it or there is none. */
const struct array *array_of_host(const void *memory);

/* Returns the array that begins at this address, or NULL if there is none. The pointer is valid until the
 * next call of a function of this file. */
struct array *array_at(const void *memory);

/* Gives the array that begins here a name for reports. The text must stay. */
void machine_name_array(const void *memory, const char *name);

/* Writes the name that a report gives to the array, which was allocated in the line `line`. */
void array_text(const struct array *array, const char *line, char *text, size_t size);

/* Returns the size in bytes of all arrays in the devices' memories. */
uint64_t arrays_bytes(void);

/* Returns a hash of the content of all arrays that the host may access. */
uint64_t arrays_hash_of_host(void);

/* Returns the array nearest to the address, before or after it, or NULL if there is none within 1 MiB. */
const struct array *array_nearest(uintptr_t address);

/* For each kernel in progress, the counter of its grid's barrier (cooperative groups). */
#define GRID_WORKSPACE_WORDS 64
extern unsigned grid_workspaces[MOST_KERNELS][GRID_WORKSPACE_WORDS];

/* Converts an address to one that is equal in every run of a program, wherever the system places the
 * program and its arrays. */
uint64_t array_fixed_address(uintptr_t address);

/*
 * Notes which bytes of device memory and of shared memory have been written, because a kernel may read no
 * others. New memory is filled with a pattern, except arrays above 64 MiB, whose pattern is zeros, as fresh
 * memory of the system has them. Memory that does not have the pattern counts as written, even if the write
 * was not noted: code that the machine does not see, such as a function of the C library, may have made it.
 */

/* The pattern's value is far from 0 in each type (-2.7e7 as a float), so that a use of it shows. */
#define WRITTEN_PATTERN 0xcb

/* Does the machine note which bytes are written? Must be set before the first allocation and launch. */
extern bool written_is_noted;

/* The mark of a byte says whether it has been written. If blocks of a kernel are left out
 * (machine/engine/sample.h), bytes that the kernel does not write in the arrays that it writes become
 * doubtful, because a left-out block might have changed them. To tell by which kernel a byte was written,
 * marks grow from kernel to kernel, from WRITTEN on. */
enum { UNWRITTEN, DOUBTFUL, WRITTEN };
/* the mark of a byte that is written now */
extern unsigned char written_mark;

/* What is noted of an array, or of a block's shared memory. */
struct written {
    unsigned char least;  /* a byte with a smaller mark is not written, or doubtful */
    unsigned char latest; /* the largest mark */
    unsigned char marks[];
};

/* written_begin_gaps() is called when a kernel begins of which blocks may be left out; `is_alone` says that
 * no other kernel runs. If blocks were left out, written_end_gaps() is called with its result when the kernel
 * has ended. */
unsigned char written_begin_gaps(bool is_alone);
void written_end_gaps(unsigned char mark);

/* Returns how many arrays have been written since this mark. */
size_t written_since(unsigned char mark);
/* Make doubtful all bytes written so far of one array, or of all arrays that were written since this mark.
 * written_begin_gaps() must follow. */
void written_forget(struct written *written);
void written_forget_since(unsigned char mark);

/* Begins to note which bytes of a new array of cudaMalloc(), or of a kernel's malloc(), are written. Fills
 * the array with the pattern, unless it is larger than 64 MiB. */
void written_begin_array(void *memory);

/* written_begin_block() begins to note which bytes of a block's shared memory are written;
 * written_end_block() must be called when the block has ended. */
void written_begin_block(struct block *block);
void written_end_block(struct block *block);

/* Notes that these bytes are written. `block` is the block that writes them, or NULL for the host. */
void written_note(struct block *block, uintptr_t address, size_t bytes);

/* Notes that all arrays that exist now are written. */
void written_note_all(void);

/* written_content() returns what is known of these bytes, which the block reads. */
enum content {
    CONTENT_WRITTEN,  /* some were written, and none is doubtful */
    CONTENT_NONE,     /* none was written */
    CONTENT_DOUBTFUL, /* some are doubtful */
    CONTENT_NOT_NOTED /* it is not noted which bytes of the memory are written */
};
enum content written_content(struct block *block, uintptr_t address, size_t bytes);

/* Returns how many of these bytes, from the first one on, are alike: written, or not. */
size_t written_run(uintptr_t address, size_t bytes, bool *is_written);

/* Returns whether all these bytes of an array have been written, and none is doubtful; an array of which
 * nothing is noted is not whole. */
bool written_is_whole(uintptr_t address, size_t bytes);

/* Notes that bytes were copied. The copy of a byte that is not written is not written, and the copy of a
 * doubtful byte is doubtful. */
void written_copy(uintptr_t to, uintptr_t from, size_t bytes);

#endif
