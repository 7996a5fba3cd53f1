/* The arrays that the host has allocated in the devices' memories. */
#ifndef MACHINE_ARRAYS_H
#define MACHINE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array {
    uintptr_t begin;
    size_t bytes;
    unsigned device;         /* the device in whose memory the array is */
    bool is_of_host;         /* may the host access it, too? */
    const void *instruction; /* the instruction that allocated it, for reports */
    uint64_t place;          /* its address if memory were allocated from 0 on and never reused */
};

/* Notes an array that has been allocated, forgets one that is freed, or notes that the host may access it. */
void array_note(const void *memory, size_t bytes, unsigned device, const void *instruction);
void array_forget(const void *memory);
void array_share_with_host(const void *memory);

/* The array that contains the address, valid until the next call of a function of this file. Returns NULL
 * if there is none, for instance for a static variable. */
const struct array *array_of(uintptr_t address);

/* The array nearest to the address, before or after it, or NULL if none is within 1 MiB. */
const struct array *array_nearest(uintptr_t address);

/* An address that is equal in every run of a program, wherever the system places the
 * program and its arrays. */
uint64_t array_fixed_address(uintptr_t address);

#endif
