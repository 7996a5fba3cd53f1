#include "machine/weak/history.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void (*give_back)(struct release *release);

/* The messages that history_forget_due() will forget. */
static struct due {
    struct history *history;
    uint64_t message;
} * due;
static size_t due_count;

void history_gives_back_by(void (*function)(struct release *release))
{
    give_back = function;
}

struct history *history_begin(uintptr_t address, unsigned bytes, uint64_t value)
{
    static uint64_t begun;
    struct history *history = allocate(sizeof *history);
    *history = (struct history){
        .address = address, .bytes = bytes, .serial = begun++, .accessed_after_fence = NO_THREAD};
    *history_insert(history, 0) =
        (struct message){.value = value, .read_from = NO_MESSAGE, .thread = NO_THREAD};
    return history;
}

static void drop(struct message *message)
{
    for (unsigned v = 0; v < MOST_VIEWS; v++)
        if (message->release[v])
            give_back(message->release[v]);
}

void history_empty(struct history *history)
{
    for (unsigned i = 0; i < history->count; i++)
        drop(&history->messages[i]);
    free(history->memory);
    history->messages = history->memory = NULL;
    history->count = history->room = 0;
}

void history_end(struct history *history)
{
    history_empty(history);
    for (size_t i = 0; i < due_count; i++)
        if (due[i].history == history)
            due[i].history = NULL;
    free(history);
}

int history_position(const struct history *history, uint64_t id)
{
    for (unsigned i = history->count; i-- > 0;)
        if (history->messages[i].id == id)
            return (int)i;
    return -1;
}

struct message *history_insert(struct history *history, unsigned position)
{
    if (history->messages + history->count == history->memory + history->room) {
        size_t forgotten = (size_t)(history->messages - history->memory);
        if (!history->room || 2 * forgotten < history->room) {
            history->room = history->room ? 2 * history->room : 2;
            history->memory = reallocate(history->memory, history->room * sizeof *history->memory);
        }
        memmove(history->memory, history->memory + forgotten, history->count * sizeof *history->memory);
        history->messages = history->memory;
    }
    struct message *at = &history->messages[position];
    memmove(at + 1, at, (history->count++ - position) * sizeof *at);
    *at = (struct message){.id = history->next_id++};
    return at;
}

void history_forget(struct history *history, unsigned position)
{
    for (unsigned i = 0; i < position; i++)
        drop(&history->messages[i]);
    history->count -= position;
    history->messages += position;
}

void history_forget_later(struct history *history, uint64_t message)
{
    due = with_room(due, sizeof *due, due_count, 1);
    due[due_count++] = (struct due){history, message};
}

void history_forget_due(void)
{
    for (size_t i = 0; i < due_count; i++) {
        int position = due[i].history ? history_position(due[i].history, due[i].message) : 0;
        if (position > 0)
            history_forget(due[i].history, (unsigned)position);
    }
    due_count = 0;
}
