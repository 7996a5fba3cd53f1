#include "machine/cuda/fault.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KEPT 256
static void *kept[MOST_KEPT];
static size_t kept_count;
static bool answered; /* has the host copied anything from the device? */

static bool is_fault(const char *name)
{
    const char *fault = getenv("GPUSYNC_MACHINE_FAULT");
    return fault && strcmp(fault, name) == 0;
}

bool fault_keep(void *memory)
{
    if (!memory || kept_count == MOST_KEPT || !is_fault("kept"))
        return false;
    kept[kept_count++] = memory;
    return true;
}

void *fault_reuse(size_t bytes)
{
    for (size_t i = 0; i < kept_count; i++)
        if (malloc_usable_size(kept[i]) >= bytes && malloc_usable_size(kept[i]) / 2 <= bytes) {
            void *memory = kept[i];
            kept[i] = kept[--kept_count];
            return memory;
        }
    return NULL;
}

bool fault_skips_kernels(void)
{
    return answered && is_fault("kept");
}

void fault_apply(void *copy, size_t bytes)
{
    unsigned char *to = copy;
    answered = true;
    if (!bytes)
        return;
    size_t word = bytes / 2 / 8 * 8, last = word + 8 <= bytes ? word + 7 : bytes - 1;
    if (is_fault("bit"))
        /* Changes the highest bit of a number, whatever its type: this is the sign bit, or a bit of the most
         * significant digit. */
        to[last] ^= 0x80;
    if (is_fault("zeros"))
        memset(to, 0, bytes);
    if (is_fault("ones"))
        memset(to + word, 0xff, last - word + 1);
}
