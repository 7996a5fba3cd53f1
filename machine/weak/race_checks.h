/*
 * Checks whether an access of the running lane races with an earlier access. The check is made before the
 * access, against the data that machine/weak/cells.h keeps by address: the newest write and the last weak
 * read. A race is reported to machine/weak/races.h. Nothing is checked unless races are collected.
 */
#ifndef MACHINE_RACE_CHECKS_H
#define MACHINE_RACE_CHECKS_H

#include "machine/weak/cells.h"
#include "machine/weak/memory_model.h"
#include "machine/weak/races.h"

/* Notes for reports of races that the copy with this number in the memory model signals this mbarrier. */
void race_note_told(uint32_t copy, uintptr_t mbarrier_home);
/* Notes for reports of races that this thread issued the copy, at this of its times. */
void race_note_issued(uint32_t copy, uint32_t thread, uint32_t time);

/* Note for reports of races that the running lane has read a word by a strong access, and that an atomic of
 * the lane has changed it. */
void race_note_strong_read(uintptr_t home, uint32_t site);
void race_note_change(uintptr_t home, uint64_t before, uint64_t after, uint32_t site);

/* Reports a race: a weak access to the word or byte of this cell, by a lane that does not know the
 * cell's newest write. */
void race_check_cell(const struct cell *cell, enum race_kind kind, uintptr_t home, size_t bytes,
                     uint32_t site);

/* Reports that an access of the running lane or copy races with this earlier write: nothing orders the write
 * before the access. */
void race_check_write(uint32_t writer, uint32_t time, uint32_t write_site, enum race_kind kind,
                      uintptr_t home, size_t bytes, uint32_t site);

/* Checks an access of these bytes, some of which are in a location with a history: it is a race unless the
 * lane knows the newest message that wrote any of them, for each of them. */
void race_check_message(const struct history *history, struct strength strength, enum race_kind kind,
                        uintptr_t home, size_t bytes, uint32_t site);

/* Checks a write or atomic of these bytes: it is a race if another thread has read some of them before and
 * the lane does not know this read. race_check_reader_at() looks only at the reads that are noted for the
 * word, byte or location with a history at `place`. */
void race_check_reader(uintptr_t home, size_t bytes, struct strength strength, enum race_kind kind,
                       uint32_t site);
void race_check_reader_at(uintptr_t place, uintptr_t home, size_t bytes, struct strength strength,
                          enum race_kind kind, uint32_t site);

extern bool races_are_muted; /* while this is true, checks of a lane's accesses report nothing */

/* Checks an access of the host, whose clock this is (machine/weak/clocks.h), to memory that kernels may
 * access, too. `is_strong` says that the access is volatile or atomic: it may then wait for a kernel, and
 * orders itself. */
void race_check_host(uintptr_t address, size_t bytes, bool writes, bool is_strong, const struct clock *clock,
                     const void *instruction);

/* Notes a weak load of these bytes of the word, byte or location with a history at `place` for later race
 * checks; race_note_read_of_word() notes one of bytes first..end - 1 of a word. */
void race_note_read(uintptr_t place, uintptr_t home, size_t bytes, uint32_t site);
void race_note_read_of_word(uintptr_t word, unsigned first, unsigned end, uint32_t site);

#endif
