/* The messages of one location in coherence order: what was written to it, by which thread, how, and what a
 * strong reader learns from it. Old messages may be forgotten at any time, which only hides outcomes. */
#ifndef MACHINE_HISTORY_H
#define MACHINE_HISTORY_H

#include "machine/scopes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_THREAD UINT32_MAX /* the writer of what was there before the launch, which everybody knows */
#define MOST_VIEWS 8         /* the number of enum what_if in machine/weak/memory_model.h */
#define NO_MESSAGE UINT64_MAX

struct message {
    uint64_t value;
    uint64_t id;           /* the number of the message in its history */
    uint64_t read_from;    /* the message that an atomic read before it wrote this one, or NO_MESSAGE */
    uint32_t thread, time; /* the writer, and its block's time when it wrote */
    uint32_t site;         /* the instruction, for reports */
    enum machine_scope scope;
    uint8_t first, bytes; /* which bytes of the location the access wrote; 0 bytes means all */
    bool is_part;         /* the access also wrote bytes outside the location */
    /* what a thread that acquires the message learns, or NULL for nothing */
    struct release *release[MOST_VIEWS];
};

struct history {
    uintptr_t address;
    unsigned bytes;
    unsigned count, room;
    uint64_t serial; /* the number of the history, in the order in which histories begin */
    uint64_t next_id;
    struct message *messages; /* the messages, oldest first */
};

/* Sets the function that frees a release when its message is forgotten; to be called before any message is
 * forgotten. */
void history_gives_back_by(void (*give_back)(struct release *release));

/* Begins a history with one message, which all threads know. */
struct history *history_begin(uintptr_t address, unsigned bytes, uint64_t value);
void history_end(struct history *history);

/* Returns the position of the message, or -1 if it has been forgotten. */
int history_position(const struct history *history, uint64_t id);

/* Makes room for a message at this position, before the message that is there now; the caller fills in
 * everything but its id. */
struct message *history_insert(struct history *history, unsigned position);

/* Forgets all messages before this position. */
void history_forget(struct history *history, unsigned position);

/* Forgets all messages before this message, but only when the next access begins (history_forget_due),
 * because the current access holds positions. */
void history_forget_later(struct history *history, uint64_t message);
void history_forget_due(void);

static inline struct message *history_newest(const struct history *history)
{
    return &history->messages[history->count - 1];
}

#endif
