#include "machine/cuda/source_line.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Our own inline functions, which lie between a kernel and the machine. */
static bool is_of_the_machine(const char *line)
{
    static const char *const files[] = {
        "cuda_machine.h:", "sync_device.h:", "atomics.h:", "warp.h:",  "ptx.h:",
        "arithmetic.h:",   "runtime.h:",     "atomic:",    "barrier:", "cooperative_groups.h:"};
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

/* Of this program's table of symbols: the one that has the address, and how far behind its begin it is. */
static bool find_symbol(const Dl_info *info, uintptr_t offset, char *name, size_t size, uintptr_t *behind)
{
    char command[512], line[512];
    bool is_found = false;
    snprintf(command, sizeof command, "nm -C -S --defined-only '%s' 2>/dev/null", info->dli_fname);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        unsigned long begin, bytes;
        char kind;
        int at = 0;
        if (sscanf(line, "%lx %lx %c %n", &begin, &bytes, &kind, &at) == 3 && at && offset - begin < bytes) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s", line + at);
            *behind = offset - begin;
            is_found = true;
        }
    }
    if (pipe)
        pclose(pipe);
    return is_found;
}

void source_variable(uintptr_t address, size_t bytes, char *text, size_t size)
{
    extern const char __executable_start[];
    Dl_info info;
    char name[192];
    uintptr_t behind;
    if (dladdr(__executable_start, &info) &&
        find_symbol(&info, address - (uintptr_t)info.dli_fbase, name, sizeof name, &behind))
        snprintf(text, size, behind ? "%s[%zu]" : "%s", name, (size_t)(behind / bytes));
    else
        snprintf(text, size, "address %p", (void *)address);
}
