#include "machine/cuda/given_back.h"
#include "machine/weak/weak_launches.h"

#include <stdlib.h>

/* Memory that has been freed is not reused at once, so that a later access to it is found. It is released
 * to the host when more than MOST_BYTES_KEPT bytes or more than MOST_KEPT arrays have been freed. */
#define MOST_BYTES_KEPT ((size_t)64 << 20)
#define MOST_KEPT 4096

static struct {
    struct given_back entry[MOST_KEPT]; /* a ring */
    size_t first, count, bytes;
} kept;

const struct given_back *given_back_at(uintptr_t address)
{
    for (size_t i = kept.count; i-- > 0;) {
        const struct given_back *entry = &kept.entry[(kept.first + i) % MOST_KEPT];
        if (address - entry->begin < entry->bytes)
            return entry;
    }
    return NULL;
}

void given_back_end(const struct given_back *entry)
{
    weak_forget((const void *)entry->begin, entry->bytes);
    free((void *)entry->begin);
}

static void release_oldest(void)
{
    struct given_back *oldest = &kept.entry[kept.first];
    given_back_end(oldest);
    kept.bytes -= oldest->bytes;
    kept.first = (kept.first + 1) % MOST_KEPT;
    kept.count--;
}

void given_back_add(const struct given_back *entry)
{
    if (entry->bytes > MOST_BYTES_KEPT)
        return given_back_end(entry);
    while (kept.count && (kept.count == MOST_KEPT || kept.bytes + entry->bytes > MOST_BYTES_KEPT))
        release_oldest();
    kept.entry[(kept.first + kept.count++) % MOST_KEPT] = *entry;
    kept.bytes += entry->bytes;
}
