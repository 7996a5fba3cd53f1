#include "base/memory.h"
#include "base/failure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(const void *p, size_t bytes)
{
    if (!p)
        fail(EXIT_CANNOT, "out of memory: %.3g MB more are needed", 1e-6 * (double)bytes);
}

/* Returns whether the host's physical memory can hold this many bytes; small amounts always pass. malloc also
 * grants more than that, and the system would end the program when the memory is used. */
static bool is_there(size_t bytes)
{
    if (bytes < 1 << 20)
        return true;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages < 0 || page < 0 || (double)bytes < (double)pages * (double)page;
}

void *allocate(size_t bytes)
{
    void *p = is_there(bytes) ? calloc(1, bytes ? bytes : 1) : NULL;
    check(p, bytes);
    return p;
}

void *allocate_aligned(size_t bytes)
{
    size_t whole = (bytes + 64) / 64 * 64;
    void *p = aligned_alloc(64, whole);
    check(p, bytes);
    return memset(p, 0, whole);
}

void *reallocate(void *p, size_t bytes)
{
    p = is_there(bytes) ? realloc(p, bytes ? bytes : 1) : NULL;
    check(p, bytes);
    return p;
}

void *with_room(void *items, size_t item_bytes, size_t count, size_t more)
{
    size_t have = 1;
    while (have < count)
        have *= 2;
    if (items && count + more <= have)
        return items;
    while (have < count + more)
        have *= 2;
    return reallocate(items, have * item_bytes);
}

uint64_t hash_add(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(allocate(bytes), text, bytes);
}
