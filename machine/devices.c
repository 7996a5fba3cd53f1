#include "machine/devices.h"
#include "base/memory.h"

/* Allocations in the memories of devices behind the first. */
static struct {
    uintptr_t begin, end;
    unsigned device;
} * away;
static size_t away_count;
static unsigned chosen;

bool device_choose(unsigned device)
{
    if (device >= device_count())
        return false;
    chosen = device;
    return true;
}

unsigned device_chosen(void)
{
    return chosen < device_count() ? chosen : 0;
}

void device_note_allocation(const void *pointer, size_t bytes)
{
    if (!device_chosen())
        return;
    away = with_room(away, sizeof *away, away_count, 1);
    away[away_count].begin = (uintptr_t)pointer;
    away[away_count].end = (uintptr_t)pointer + bytes;
    away[away_count++].device = chosen;
}

void device_forget_allocation(const void *pointer)
{
    for (size_t i = 0; i < away_count; i++)
        if (away[i].begin == (uintptr_t)pointer) {
            away[i] = away[--away_count];
            return;
        }
}

unsigned device_of_address(uintptr_t address)
{
    for (size_t i = 0; i < away_count; i++)
        if (address - away[i].begin < away[i].end - away[i].begin)
            return away[i].device;
    return 0;
}
