#include "machine/fault.h"

#include <stdlib.h>
#include <string.h>

void fault_apply(void *copy, size_t bytes)
{
    const char *fault = getenv("GPUSYNC_MACHINE_FAULT");
    unsigned char *to = copy;
    if (!fault || !bytes)
        return;
    size_t word = bytes / 2 / 8 * 8, last = word + 8 <= bytes ? word + 7 : bytes - 1;
    if (strcmp(fault, "bit") == 0)
        to[last] ^= 0x80; /* the sign, or the largest digit, of any type */
    if (strcmp(fault, "zeros") == 0)
        memset(to, 0, bytes);
    if (strcmp(fault, "ones") == 0)
        memset(to + word, 0xff, last - word + 1);
}
