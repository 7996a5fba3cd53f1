/*
 * Keeps track of the functions that a lane is in. The compiler inlines most functions of a kernel, and its
 * debug information says so. For the other functions, the instructions `call` and `ret` say it. A chain of
 * calls is stored as one number, so that each noted access can have it, and a report can name the calls that
 * led to the access.
 */
#ifndef MACHINE_CALLS_H
#define MACHINE_CALLS_H

#include <stdint.h>
#include <stdio.h>

/* Notes that the running lane enters a function, which returns to `back`, or leaves one. */
void calls_enter(const void *back);
void calls_leave(void);

/* A site is an instruction together with the calls that led to it.
 * A site's number is never 0. Equal numbers stand for the same instruction and the same calls. */
uint32_t site_of(const void *instruction, uint32_t calls);

/* Returns the site of an instruction of the running lane, or of the host. */
uint32_t site_here(const void *instruction);

/* The largest number of instructions that site_trail() gives; calls further out are left out. */
#define MOST_TRAIL 12

/* Stores the offset of the site's instruction in the program, and then the offsets of the return addresses of
 * the calls that led to it, the innermost first. Returns how many it has stored. */
unsigned site_trail(uint32_t site, uint32_t trail[MOST_TRAIL]);

/* sites_save() writes the sites of a forked child process to a file. sites_add() adds them to the parent's
 * own; after that, site_added() returns the parent's number of a child's site. */
void sites_save(FILE *file);
void sites_add(FILE *file);
uint32_t site_added(uint32_t site);

#endif
