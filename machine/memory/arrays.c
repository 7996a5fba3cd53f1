#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "base/memory.h"
#include "machine/machine.h"
#include "machine/memory/shared_memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first byte of the program in memory; the linker defines the symbol. */
extern const char __executable_start[];

#define ALIGNMENT 256
/* the address that array_fixed_address() gives to the program's first byte */
#define FIXED_PROGRAM (UINT64_C(1) << 48)
/* The address that array_fixed_address() gives to grid_workspaces, because their offset in the program
 * depends on the program's size. */
#define FIXED_WORKSPACES (UINT64_C(1) << 47)

unsigned grid_workspaces[MOST_KERNELS][GRID_WORKSPACE_WORDS] __attribute__((aligned(256)));

static struct array *arrays; /* the arrays, sorted by address */
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

/* Returns the number of arrays that begin at or before the address. */
static size_t count_up_to(uintptr_t address)
{
    size_t low = 0, high = array_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arrays[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t array_parts[ARRAY_PARTS / 64];

void array_watch(uintptr_t begin, size_t bytes)
{
    for (uintptr_t part = begin >> 20; part <= (begin + bytes) >> 20; part++)
        array_parts[part % ARRAY_PARTS / 64] |= UINT64_C(1) << part % 64;
}

void array_note(const void *memory, size_t bytes, unsigned device, const void *instruction)
{
    uint64_t place = next_place();
    size_t at = count_up_to((uintptr_t)memory);
    array_watch((uintptr_t)memory, bytes);
    arrays = with_room(arrays, sizeof *arrays, array_count, 1);
    memmove(&arrays[at + 1], &arrays[at], (array_count - at) * sizeof *arrays);
    array_count++;
    arrays[at] = (struct array){.begin = (uintptr_t)memory,
                                .bytes = bytes,
                                .device = device,
                                .instruction = instruction,
                                .place = place};
}

void machine_name_array(const void *memory, const char *name)
{
    array_at(memory)->name = name;
}

void array_text(const struct array *array, const char *line, char *text, size_t size)
{
    snprintf(text, size, array->name ? "%s" : ARRAY_FROM "%s", array->name ? array->name : line);
}

uint64_t arrays_bytes(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < array_count; i++)
        bytes += arrays[i].is_of_host ? 0 : arrays[i].bytes;
    return bytes;
}

uint64_t arrays_hash_of_host(void)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < array_count; i++) {
        const char *from = (const char *)arrays[i].begin;
        size_t bytes = arrays[i].is_of_host ? arrays[i].bytes : 0;
        for (size_t b = 0, word = 0; b < bytes; b += sizeof word) {
            memcpy(&word, from + b, bytes - b < sizeof word ? bytes - b : sizeof word);
            hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 29;
        }
    }
    return hash;
}

struct array *array_at(const void *memory)
{
    size_t count = count_up_to((uintptr_t)memory);
    return count && arrays[count - 1].begin == (uintptr_t)memory ? &arrays[count - 1] : NULL;
}

#define MOST_FORGOTTEN 64
static struct array forgotten[MOST_FORGOTTEN]; /* a ring buffer of the last freed arrays */
static size_t forgotten_count;

const struct array *array_freed_of(uintptr_t address)
{
    for (size_t i = forgotten_count; i-- > 0 && i + MOST_FORGOTTEN >= forgotten_count;) {
        const struct array *array = &forgotten[i % MOST_FORGOTTEN];
        if (address - array->begin < array->bytes)
            return array;
    }
    return NULL;
}

void array_forget(const void *memory)
{
    struct array *array = array_at(memory);
    if (!array)
        return;
    free(array->written);
    array->written = NULL;
    forgotten[forgotten_count++ % MOST_FORGOTTEN] = *array;
    array_count--;
    memmove(array, array + 1, (size_t)(&arrays[array_count] - array) * sizeof *arrays);
}

static bool has(size_t i, uintptr_t address)
{
    return i < array_count && address - arrays[i].begin < arrays[i].bytes;
}

const struct array *array_of(uintptr_t address)
{
    if (has(last_found, address))
        return &arrays[last_found];
    size_t count = count_up_to(address);
    if (!count || !has(count - 1, address))
        return NULL;
    last_found = count - 1;
    return &arrays[last_found];
}

const struct array *array_of_host(const void *memory)
{
    const struct array *array = array_of((uintptr_t)memory);
    return array && array->is_of_host ? array : NULL;
}

void array_share_with_host(const void *memory)
{
    struct array *array = array_at(memory);
    if (array)
        array->is_of_host = true;
}

void array_set_managed(const void *memory)
{
    array_at(memory)->is_managed = true;
    the_machine.uses.managed_memory = true;
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
    uintptr_t in_workspaces = address - (uintptr_t)grid_workspaces;
    if (in_workspaces < sizeof grid_workspaces)
        return FIXED_WORKSPACES + in_workspaces;
    return array ? address - array->begin + array->place
                 : FIXED_PROGRAM + address - (uintptr_t)__executable_start;
}

bool written_is_noted;
unsigned char written_mark = WRITTEN;

/* Larger arrays are not filled, because this would allocate memory that the program may never use. */
#define MOST_FILLED ((size_t)64 << 20)

/* Uses calloc(), because the system then allocates a page only when it is written. */
static struct written *begin_written(size_t bytes)
{
    struct written *written = calloc(sizeof *written + bytes + 1, 1);
    if (written)
        written->least = written->latest = WRITTEN;
    return written;
}

void written_begin_array(void *memory)
{
    struct array *array = array_at(memory);
    if (!array)
        return;
    array->written = begin_written(array->bytes);
    if (array->bytes <= MOST_FILLED)
        memset(memory, WRITTEN_PATTERN, array->bytes);
}

void written_begin_block(struct block *block)
{
    block->written = begin_written(block->kernel->launch.shared_bytes);
    shared_memory_fill(block, WRITTEN_PATTERN);
}

void written_end_block(struct block *block)
{
    free(block->written);
    block->written = NULL;
}

/* A place in memory that is noted byte by byte. */
struct place {
    struct written *of;   /* the marks of the array or of the shared memory; NULL if none are noted */
    unsigned char *marks; /* the marks of the place's bytes */
    const unsigned char *content;
    unsigned char pattern; /* what the bytes contain until they are written */
};

static struct place place_in_block(struct block *block, uintptr_t address)
{
    struct block *owner = block ? shared_memory_owner(block, address) : NULL;
    if (!owner || !owner->written)
        return (struct place){0};
    size_t offset = shared_memory_offset(owner, address);
    return (struct place){owner->written, owner->written->marks + offset, owner->dynamic + offset,
                          WRITTEN_PATTERN};
}

static struct place place_of(struct block *block, uintptr_t address)
{
    if (shared_memory_has(address))
        return place_in_block(block, address);
    const struct array *array = array_of(address);
    if (!array || !array->written)
        return (struct place){0};
    return (struct place){array->written, array->written->marks + (address - array->begin),
                          (const unsigned char *)address, array->bytes <= MOST_FILLED ? WRITTEN_PATTERN : 0};
}

void written_note(struct block *block, uintptr_t address, size_t bytes)
{
    struct place place = place_of(block, address);
    if (!place.of)
        return;
    memset(place.marks, written_mark, bytes);
    place.of->latest = written_mark;
}

void written_note_all(void)
{
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].written) {
            memset(arrays[i].written->marks, written_mark, arrays[i].bytes);
            arrays[i].written->latest = written_mark;
        }
}

/* A byte that is not written becomes doubtful only if a kernel with left-out blocks writes the array. */
static bool is_doubtful(const struct written *written, unsigned char mark)
{
    return mark < written->least && (mark != UNWRITTEN || written->least > WRITTEN);
}

/* Sets the marks back to UNWRITTEN, DOUBTFUL and WRITTEN, because the largest possible mark has been
 * reached. */
static void renumber(void)
{
    for (size_t i = 0; i < array_count; i++) {
        struct written *written = arrays[i].written;
        if (!written || (written->latest == WRITTEN && written->least == WRITTEN))
            continue;
        /* each mark is stored, so that the compiler can vectorize the loop */
        unsigned char least = written->least, other = least > WRITTEN ? DOUBTFUL : UNWRITTEN;
        for (size_t b = 0; b < arrays[i].bytes; b++) {
            unsigned char mark = written->marks[b];
            written->marks[b] = mark >= least ? WRITTEN : mark == DOUBTFUL ? DOUBTFUL : other;
        }
        written->least = written->latest = WRITTEN;
    }
    written_mark = WRITTEN;
}

unsigned char written_begin_gaps(bool is_alone)
{
    if (written_mark == UCHAR_MAX && is_alone)
        renumber();
    return written_mark < UCHAR_MAX ? ++written_mark : written_mark;
}

void written_end_gaps(unsigned char mark)
{
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].written && arrays[i].written->latest >= mark && arrays[i].written->least < mark)
            arrays[i].written->least = mark;
}

size_t written_since(unsigned char mark)
{
    size_t count = 0;
    for (size_t i = 0; i < array_count; i++)
        count += arrays[i].written && arrays[i].written->latest >= mark;
    return count;
}

void written_forget(struct written *written)
{
    written->least = written_mark < UCHAR_MAX ? written_mark + 1 : UCHAR_MAX;
}

void written_forget_since(unsigned char mark)
{
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].written && arrays[i].written->latest >= mark)
            written_forget(arrays[i].written);
}

enum content written_content(struct block *block, uintptr_t address, size_t bytes)
{
    struct place place = place_of(block, address);
    bool is_written = !bytes;
    if (!place.of)
        return CONTENT_NOT_NOTED;
    for (size_t i = 0; i < bytes; i++) {
        if (is_doubtful(place.of, place.marks[i]))
            return CONTENT_DOUBTFUL;
        is_written = is_written || place.marks[i] || place.content[i] != place.pattern;
    }
    return is_written ? CONTENT_WRITTEN : CONTENT_NONE;
}

size_t written_run(uintptr_t address, size_t bytes, bool *is_written)
{
    struct place place = place_of(NULL, address);
    size_t count = 0;
    *is_written = true;
    if (!place.of)
        return bytes;
    *is_written = place.marks[0] || place.content[0] != place.pattern;
    while (count < bytes && (place.marks[count] || place.content[count] != place.pattern) == *is_written)
        count++;
    return count;
}

bool written_is_whole(uintptr_t address, size_t bytes)
{
    struct place place = place_of(NULL, address);
    unsigned char least = UCHAR_MAX;
    for (size_t i = 0; place.of && i < bytes; i++)
        least = place.marks[i] < least ? place.marks[i] : least;
    return place.of && least >= place.of->least;
}

void written_copy(uintptr_t to, uintptr_t from, size_t bytes)
{
    struct place source = place_of(NULL, from), target = place_of(NULL, to);
    for (size_t i = 0; source.of && target.of && i < bytes; i++)
        if (source.marks[i] < source.of->least)
            target.marks[i] = DOUBTFUL;
}

/* ---- the devices that have them ---- */

static unsigned chosen, shown;

void machine_show_devices(unsigned count)
{
    shown = count;
}

unsigned devices_shown(void)
{
    return shown > device_count() ? shown : device_count();
}

bool device_choose(unsigned device)
{
    if (device >= devices_shown())
        return false;
    chosen = device;
    return true;
}

unsigned device_chosen(void)
{
    return chosen < devices_shown() ? chosen : 0;
}

unsigned device_of_address(uintptr_t address)
{
    const struct array *array = array_of(address);
    return array ? array->device : 0;
}
