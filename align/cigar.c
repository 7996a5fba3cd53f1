#include "align/cigar.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void cigar_prepend(struct cigar *c, char letter, size_t length)
{
    if (!length)
        return;
    if (c->count && c->runs[c->count - 1].letter == letter) {
        c->runs[c->count - 1].length += length;
        return;
    }
    c->runs = with_room(c->runs, sizeof *c->runs, c->count, 1);
    c->runs[c->count++] = (struct cigar_run){letter, length};
}

char *cigar_finish(struct cigar *c)
{
    const size_t most = 22; /* room for the 20 digits of a 64-bit number, a letter and the terminating 0 */
    size_t bytes = c->count * most + 2;
    char *text = allocate(bytes), *end = text;
    if (!c->count)
        *end = '*';
    for (size_t k = c->count; k-- > 0;)
        end += snprintf(end, bytes - (size_t)(end - text), "%zu%c", c->runs[k].length, c->runs[k].letter);
    free(c->runs);
    *c = (struct cigar){NULL, 0};
    return text;
}
