/*
 * Reads fat binaries, in which nvcc stores PTX and cubins for several architectures, and the properties of
 * kernels in cubins, which are ELF files with the machine code of a GPU.
 */
#ifndef MACHINE_PTX_FAT_BINARY_H
#define MACHINE_PTX_FAT_BINARY_H

#include "machine/machine.h"
#include "machine/ptx/module.h"

#include <elf.h>
#include <stdio.h>

enum fat_binary_kind { FAT_BINARY_PTX = 1, FAT_BINARY_CUBIN = 2 };

/* The argument of __cudaRegisterFatBinary(). */
struct fat_wrapper {
    int magic, version;
    const void *data;
    /* for version 2, made by nvcc -dlink: the fat binaries of the linked files; NULL ends the list */
    const void *const *parts;
};

/* Returns the PTX or the cubin for the newest architecture, of a fat binary, the wrapper of one, or a text of
 * PTX. Its text is NULL if all are compressed or there is none. */
struct ptx_text fat_binary_text(const void *data, enum fat_binary_kind kind);

/* Returns the PTX for the newest architecture in a fat binary, which is not compressed, and its size;
 * NULL if there is none. Sets `whole` to the size of the fat binary. */
const char *ptx_image_text(const void *data, size_t *bytes, size_t *whole);

/* Writes a fat binary with a text of PTX and, if `cubin` is not NULL, with the machine code of its kernels to
 * `image`, which has room for `room` bytes. Returns its size in bytes, or 0 if the room is too small. */
size_t fat_binary_write(void *image, size_t room, FILE *ptx, FILE *cubin);

/* Returns the number of a function's symbol in a cubin; 0 if the cubin is not valid or lacks the function.
 * The cubin of the next functions must be valid. */
uint32_t cubin_symbol(struct ptx_text cubin, const char *function);
/* Returns a symbol; all its members are 0 if there is none with this number. */
Elf64_Sym cubin_symbol_at(struct ptx_text cubin, uint32_t number);
/* Return the content of a section; its text is NULL if there is none. */
struct ptx_text cubin_section(struct ptx_text cubin, const char *name);
struct ptx_text cubin_content(struct ptx_text cubin, unsigned section);

/* Returns the number of registers of each thread of a kernel, named as in PTX, which ptxas writes into the
 * cubin's section .nv.info. 0 means that the cubin does not say it. */
unsigned cubin_registers(struct ptx_text cubin, const char *kernel);

/* What a line of PTX costs a warp, without the requests that it makes; sums over all copies of the line. */
struct sass_cost {
    float cycles;               /* time in which a warp that is alone issues the instructions */
    float slots[MACHINE_UNITS]; /* issue slots of a multiprocessor for which they occupy each unit */
    /* how often the machine code has the line: more than once if ptxas has unrolled a loop */
    unsigned copies;
    /* The copies of a line are counted by one kind of instruction: its kind with the largest number. */
    uint32_t kind;
};

/* Returns the costs of the lines of a function, indexed by the line's number in the PTX, which is less than
 * `lines`. The caller frees the array. Returns NULL if the cubin does not say them. */
struct sass_cost *sass_costs(struct ptx_text cubin, const char *function, uint32_t lines);

#endif
