#include "harness/memory.h"
#include "harness/failure.h"

#include <stdlib.h>

void *reallocate(void *p, size_t bytes)
{
    p = realloc(p, bytes ? bytes : 1);
    if (!p)
        fail(EXIT_CANNOT, "out of memory");
    return p;
}

void *allocate(size_t bytes)
{
    return reallocate(NULL, bytes);
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
