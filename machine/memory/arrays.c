#include "machine/memory/arrays.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

/* The first byte of the program in memory; the linker defines the symbol. */
extern const char __executable_start[];

#define ALIGNMENT 256
/* the address that array_fixed_address() gives to the program's first byte */
#define FIXED_PROGRAM (UINT64_C(1) << 48)

static struct array *arrays;
static size_t array_count, last_found;

/* Returns the place after all arrays that exist now. The arrays that were freed have no influence, so a point
 * of a sweep has the places, and therefore the times, that it has when it is measured alone. */
static uint64_t next_place(void)
{
    uint64_t next = 0;
    for (size_t i = 0; i < array_count; i++) {
        uint64_t end = arrays[i].place + (arrays[i].bytes / ALIGNMENT + 1) * ALIGNMENT;
        next = end > next ? end : next;
    }
    return next;
}

void array_note(const void *memory, size_t bytes, unsigned device, const void *instruction)
{
    uint64_t place = next_place();
    arrays = with_room(arrays, sizeof *arrays, array_count, 1);
    arrays[array_count++] = (struct array){.begin = (uintptr_t)memory,
                                           .bytes = bytes,
                                           .device = device,
                                           .instruction = instruction,
                                           .place = place};
}

void array_forget(const void *memory)
{
    for (size_t i = array_count; i-- > 0;)
        if (arrays[i].begin == (uintptr_t)memory) {
            free(arrays[i].written);
            arrays[i] = arrays[--array_count];
            return;
        }
}

struct array *array_at(const void *memory)
{
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].begin == (uintptr_t)memory)
            return &arrays[i];
    return NULL;
}

static bool has(size_t i, uintptr_t address)
{
    return i < array_count && address - arrays[i].begin < arrays[i].bytes;
}

const struct array *array_of(uintptr_t address)
{
    if (has(last_found, address))
        return &arrays[last_found];
    for (size_t i = 0; i < array_count; i++)
        if (has(i, address)) {
            last_found = i;
            return &arrays[i];
        }
    return NULL;
}

void array_share_with_host(const void *memory)
{
    struct array *array = array_at(memory);
    if (array)
        array->is_of_host = true;
}

#define NEAR ((uintptr_t)1 << 20)

const struct array *array_nearest(uintptr_t address)
{
    const struct array *nearest = NULL;
    uintptr_t least = NEAR;
    for (size_t i = 0; i < array_count; i++) {
        uintptr_t end = arrays[i].begin + arrays[i].bytes;
        uintptr_t far = address < arrays[i].begin ? arrays[i].begin - address
                        : address < end           ? 0
                                                  : address - end;
        if (far < least) {
            least = far;
            nearest = &arrays[i];
        }
    }
    return nearest;
}

uint64_t array_fixed_address(uintptr_t address)
{
    const struct array *array = array_of(address);
    return array ? address - array->begin + array->place
                 : FIXED_PROGRAM + address - (uintptr_t)__executable_start;
}
