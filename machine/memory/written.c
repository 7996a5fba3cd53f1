#include "machine/memory/written.h"
#include "base/memory.h"
#include "machine/memory/arrays.h"
#include "machine/memory/shared_memory.h"

#include <stdlib.h>
#include <string.h>

bool written_is_noted;

/* The pattern's value is far from 0 in each type (-2.7e7 as a float), so that a use of it shows in
 * results. */
#define PATTERN 0xcb
/* Larger arrays are not filled, because this would allocate memory that the program may never use. */
#define MOST_FILLED ((size_t)64 << 20)

void written_begin_array(void *memory)
{
    struct array *array = array_at(memory);
    if (!array)
        return;
    /* calloc(), because the system then allocates a page only when it is written */
    array->written = calloc(array->bytes + 1, 1);
    if (array->bytes <= MOST_FILLED)
        memset(memory, PATTERN, array->bytes);
}

void written_begin_block(struct block *block)
{
    size_t bytes = block->kernel->launch.shared_bytes;
    block->written = allocate(bytes + 1);
    shared_memory_fill(block, PATTERN);
}

void written_end_block(struct block *block)
{
    free(block->written);
    block->written = NULL;
}

/* A place in memory that is noted byte by byte. */
struct place {
    unsigned char *written; /* for each byte, whether it was written; NULL if this is not noted */
    const unsigned char *content;
    unsigned char pattern; /* what the bytes contain until they are written */
};

static struct place place_in_block(struct block *block, uintptr_t address)
{
    struct block *owner = block ? shared_memory_owner(block, address) : NULL;
    if (!owner || !owner->written)
        return (struct place){0};
    size_t offset = shared_memory_offset(owner, address);
    return (struct place){owner->written + offset, owner->dynamic + offset, PATTERN};
}

static struct place place_of(struct block *block, uintptr_t address)
{
    if (shared_memory_has(address))
        return place_in_block(block, address);
    const struct array *array = array_of(address);
    if (!array || !array->written)
        return (struct place){0};
    return (struct place){array->written + (address - array->begin), (const unsigned char *)address,
                          array->bytes <= MOST_FILLED ? PATTERN : 0};
}

void written_note(struct block *block, uintptr_t address, size_t bytes)
{
    struct place place = place_of(block, address);
    if (place.written)
        memset(place.written, 1, bytes);
}

bool written_is_none(struct block *block, uintptr_t address, size_t bytes)
{
    struct place place = place_of(block, address);
    for (size_t i = 0; i < bytes; i++)
        if (!place.written || place.written[i] || place.content[i] != place.pattern)
            return false;
    return bytes > 0;
}
