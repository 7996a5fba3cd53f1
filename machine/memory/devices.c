#include "machine/memory/devices.h"
#include "machine/memory/arrays.h"

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

unsigned device_of_address(uintptr_t address)
{
    const struct array *array = array_of(address);
    return array ? array->device : 0;
}
