/*
 * The arrays that the host has allocated in the devices' memories.
 */
#ifndef MACHINE_ARRAYS_H
#define MACHINE_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

struct array {
    uintptr_t begin;
    size_t bytes;
    unsigned device;         /* in whose memory it is */
    const void *instruction; /* that asked for it */
    uint64_t place; /* where it would begin if devices' memories were given out from 0 on, never twice */
};

void array_note(const void *memory, size_t bytes, unsigned device, const void *instruction);
void array_forget(const void *memory);

/* The array that contains the address, until the next call of a function of this file; NULL: none, for
 * instance for a static variable. */
const struct array *array_of(uintptr_t address);

/* An address that is equal in every run of a program, wherever the system places the
 * program and its arrays. */
uint64_t array_fixed_address(uintptr_t address);

#endif
