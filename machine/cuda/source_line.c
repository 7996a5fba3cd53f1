#include "machine/cuda/source_line.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Our own inline functions, which lie between a kernel and the machine. */
static bool is_of_the_machine(const char *line)
{
    static const char *const files[] = {"cuda_machine.h:", "sync_device.h:"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strncmp(line, files[i], strlen(files[i])) == 0)
            return true;
    return false;
}

void source_line(const void *instruction, char *text, size_t size)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)instruction, &info)) {
        snprintf(text, size, "%p", instruction);
        return;
    }
    unsigned long offset = (unsigned long)((uintptr_t)instruction - (uintptr_t)info.dli_fbase - 1);
    snprintf(text, size, "%s+0x%lx", info.dli_fname, offset);
    char command[512], line[256] = "";
    snprintf(command, sizeof command, "addr2line -i -s -e '%s' 0x%lx 2>/dev/null", info.dli_fname, offset);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    while (fgets(line, sizeof line, pipe) && line[0] != '?') { /* innermost first */
        line[strcspn(line, " \n")] = '\0';
        snprintf(text, size, "%s", line);
        if (!is_of_the_machine(line))
            break;
    }
    pclose(pipe);
}

void source_function(const void *function, char *text, size_t size)
{
    Dl_info info;
    char command[512], name[256] = "";
    snprintf(text, size, "%p", function);
    if (!dladdr(function, &info))
        return;
    snprintf(command, sizeof command, "addr2line -f -C -e '%s' 0x%lx 2>/dev/null", info.dli_fname,
             (unsigned long)((uintptr_t)function - (uintptr_t)info.dli_fbase));
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    if (fgets(name, sizeof name, pipe) && name[0] != '?') {
        name[strcspn(name, "(<\n")] = '\0';
        snprintf(text, size, "%s", name);
    }
    pclose(pipe);
}
