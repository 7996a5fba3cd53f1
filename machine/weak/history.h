/* A history has the messages of one location in coherence order: each write's value, thread and strength,
 * and what a strong reader learns from it. Old messages may be forgotten at any time, which only hides
 * outcomes. */
#ifndef MACHINE_HISTORY_H
#define MACHINE_HISTORY_H

#include "machine/scopes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* stands for the writer of the values from before the launch, which all threads know */
#define NO_THREAD UINT32_MAX
#define SEVERAL_THREADS (UINT32_MAX - 1)
/* number of worlds in enum what_if (machine/weak/memory_model.h); a thread has a view for each */
#define MOST_VIEWS 9
#define NO_MESSAGE UINT64_MAX

struct message {
    uint64_t value;
    uint64_t id; /* a number that identifies the message, also after others are inserted or forgotten */
    /* id of the message that an atomic read before it wrote this message, or NO_MESSAGE */
    uint64_t read_from;
    uint32_t thread, time; /* the number of the thread that wrote the message, and the write's time stamp */
    uint32_t site;         /* the instruction that wrote the message, for reports of races */
    enum machine_scope scope;
    /* first byte of the location that was written, and number of bytes; 0 bytes means the whole location */
    uint8_t first, bytes;
    /* If the access also wrote bytes outside the location, these describe all of its bytes: of_first is the
     * first one, counted from the location's first byte, and may be negative. Otherwise of_bytes is 0. */
    int8_t of_first;
    uint8_t of_bytes;
    /* for each what-if world, the release that a thread acquires with the message; NULL if it acquires
     * nothing */
    struct release *release[MOST_VIEWS];
};

struct history {
    uintptr_t address;
    unsigned bytes;
    bool is_of_items; /* is it the history of two words that strong vector accesses keep together? */
    unsigned count, room;
    uint64_t serial; /* this history's number in the order in which histories begin */
    uint64_t next_id;
    /* the thread that made a strong access after some thread's fence.sc, NO_THREAD for none, or
     * SEVERAL_THREADS */
    uint32_t accessed_after_fence;
    struct message *messages; /* the messages, oldest first */
    struct message *memory;   /* memory for `room` messages, of which the first ones may be forgotten */
};

/* Sets the function that frees a release when its message is forgotten; to be called before any message is
 * forgotten. */
void history_gives_back_by(void (*give_back)(struct release *release));

/* Begins a history with one message, which all threads know. */
struct history *history_begin(uintptr_t address, unsigned bytes, uint64_t value);
void history_end(struct history *history);
/* Forgets all messages of a location that will not be accessed again. */
void history_empty(struct history *history);

/* Returns the position of the message, or -1 if it has been forgotten. */
int history_position(const struct history *history, uint64_t id);

/* Inserts a message at this position, before the message that is there now. Sets the new message's id;
 * the caller fills in the rest. */
struct message *history_insert(struct history *history, unsigned position);

/* Forgets all messages before this position in the history. */
void history_forget(struct history *history, unsigned position);

/* Forgets all messages before this message when the next access begins (history_forget_due). It does not
 * forget them at once, because the current access uses positions in the history. */
void history_forget_later(struct history *history, uint64_t message);
void history_forget_due(void);

/* Returns which of the eight bytes from `place` on are among these bytes, as bits. */
static inline uint8_t bytes_among(uintptr_t place, uintptr_t address, size_t bytes)
{
    uint8_t among = 0;
    for (unsigned b = 0; b < 8; b++)
        among |= (uint8_t)((place + b - address < bytes) << b);
    return among;
}

/* Returns which bytes of its location a message wrote, as bits. */
static inline uint8_t message_bytes(const struct history *history, const struct message *message)
{
    return bytes_among(0, message->first, message->bytes ? message->bytes : history->bytes);
}

static inline struct message *history_newest(const struct history *history)
{
    return &history->messages[history->count - 1];
}

#endif
