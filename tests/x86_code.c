/* The lengths of this program's own instructions, as objdump has them. */
#include "machine/x86_code.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bytes of a line "  401000:\t55 48 89 e5 \tpush ..."; 0: another kind of line. */
static size_t bytes_of(const char *line, unsigned char *bytes)
{
    const char *at = strchr(line, '\t'), *end = at ? strchr(at + 1, '\t') : NULL;
    size_t count = 0;
    char *next;
    for (; end && at < end && count < 15; at = next) {
        bytes[count] = (unsigned char)strtol(at, &next, 16);
        if (next == at || next > end)
            break;
        count++;
    }
    return count;
}

int main(void)
{
    char path[4096], command[4200], line[1024], first_wrong[1024] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    snprintf(command, sizeof command, "objdump -d --insn-width=16 -j .text '%s'", path);
    FILE *listing = popen(command, "r");
    unsigned long read = 0, wrong = 0, computing = 0;
    while (listing && fgets(line, sizeof line, listing)) {
        unsigned char bytes[32] = {0};
        size_t count = bytes_of(line, bytes);
        if (!count || strstr(line, "(bad)"))
            continue;
        struct x86_instruction instruction = x86_read(bytes);
        read++;
        computing += instruction.computes;
        if (instruction.bytes != count && !wrong++)
            snprintf(first_wrong, sizeof first_wrong, "%s", line);
    }
    if (listing)
        pclose(listing);
    check(read > 1000 && wrong == 0, "of %lu instructions %lu have another length than in objdump: %s", read,
          wrong, first_wrong);
    check(computing > read / 10 && computing < read * 9 / 10, "some compute and some move (%lu)", computing);
    return checks_done();
}
