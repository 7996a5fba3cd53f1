/*
 * The arrays that the host has allocated in the devices' memories.
 */
#ifndef MACHINE_ARRAYS_H
#define MACHINE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array {
    uintptr_t begin;
    size_t bytes;
    unsigned device;         /* in whose memory it is */
    bool is_of_host;         /* the host may access it, too */
    const void *instruction; /* that asked for it */
    uint64_t place; /* where it would begin if devices' memories were given out from 0 on, never twice */
};

void array_note(const void *memory, size_t bytes, unsigned device, const void *instruction);
void array_forget(const void *memory);
void array_share_with_host(const void *memory);

/* The array that contains the address, until the next call of a function of this file; NULL: none, for
 * instance for a static variable. */
const struct array *array_of(uintptr_t address);

/* The one that the address is behind, or not far before; NULL: none. */
const struct array *array_nearest(uintptr_t address);

/* An address that is equal in every run of a program, wherever the system places the
 * program and its arrays. */
uint64_t array_fixed_address(uintptr_t address);

#endif
