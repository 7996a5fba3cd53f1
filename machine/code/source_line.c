#include "machine/code/source_line.h"
#include "machine/code/calls.h"
#include "machine/machine.h"
#include "machine/ptx.h"
#include "machine/state.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first byte of the program in memory, and the first byte after its code; the linker defines these
 * symbols. */
extern const char __executable_start[], etext[];

/* Calls dladdr(), and replaces argv[0], which may be wrong, by the path of the program's file. */
static bool find_object(const void *at, Dl_info *object)
{
    static char program[448];
    Dl_info own;
    if (!dladdr(at, object))
        return false;
    if (dladdr(__executable_start, &own) && own.dli_fbase == object->dli_fbase) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        object->dli_fname = program;
    }
    return true;
}

static bool marks_lines;

void machine_mark_lines(bool mark)
{
    marks_lines = mark;
}

/* Reads addr2line's output for an instruction: its source lines, innermost inlined function first. Stores in
 * `text` the first line that is not in the CUDA Toolkit's inline functions, or the last line. */
static void read_lines(FILE *pipe, char *text, size_t size)
{
    char line[256] = "";
    while (fgets(line, sizeof line, pipe) && line[0] != '?') { /* innermost first */
        char *after = strstr(line, " (discriminator ");
        line[after ? (size_t)(after - line) : strcspn(line, "\n")] = '\0';
        snprintf(text, size, "%s", line);
        if (strncmp(line, "cuda_runtime", strlen("cuda_runtime")) != 0)
            break;
    }
}

static void read_line(const void *instruction, char *text, size_t size)
{
    Dl_info info;
    if (ptx_line_of(instruction, text, size))
        return;
    if (!find_object(instruction, &info)) {
        snprintf(text, size, "%p", instruction);
        return;
    }
    unsigned long offset = (unsigned long)((uintptr_t)instruction - (uintptr_t)info.dli_fbase - 1);
    snprintf(text, size, "%s+0x%lx", info.dli_fname, offset);
    char command[512];
    snprintf(command, sizeof command, "addr2line -i -s -e '%s' 0x%lx 2>/dev/null", info.dli_fname, offset);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    read_lines(pipe, text, size);
    pclose(pipe);
}

/* Appends the site's instruction and the calls that led to it to the text of a mark. */
static void append_trail(uint32_t site, char *text, size_t size)
{
    uint32_t trail[MOST_TRAIL];
    unsigned count = site_trail(site, trail);
    for (unsigned i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%x", i ? "," : "", trail[i]);
    }
}

/* Where the first line of a place is written. */
struct first {
    char *text;
    size_t size;
    bool is_written;
};

static void write_first(void *context, const char *path, unsigned line)
{
    struct first *first = context;
    const char *last = strrchr(path, '/');
    if (!first->is_written)
        snprintf(first->text, first->size, "%s:%u", last ? last + 1 : path, line);
    first->is_written = first->is_written || !ptx_has_instructions(path);
}

void source_line_of(uint32_t site, char *text, size_t size)
{
    uint32_t trail[MOST_TRAIL];
    site_trail(site, trail);
    if (!marks_lines) {
        struct first first = {text, size, false};
        if (ptx_is_place(trail[0]))
            ptx_place_lines(trail[0], write_first, &first);
        else
            read_line(__executable_start + trail[0], text, size);
        return;
    }
    snprintf(text, size, "%c", MARK_BEGINS);
    append_trail(site, text, size - 1);
    strcat(text, (const char[]){MARK_ENDS, '\0'});
}

void source_line(const void *instruction, char *text, size_t size)
{
    const char *at = instruction;
    if (marks_lines && ((at >= __executable_start && at < etext) || ptx_place_of(at)))
        source_line_of(site_of(instruction, 0), text, size);
    else
        read_line(instruction, text, size);
}

bool source_is_same_line(const void *a, const void *b)
{
    char of_a[256], of_b[256];
    read_line(a, of_a, sizeof of_a);
    read_line(b, of_b, sizeof of_b);
    return strcmp(of_a, of_b) == 0;
}

/* A symbol of this program whose memory contains an address. */
struct symbol {
    char name[192];
    uintptr_t offset; /* distance of the address from the symbol's beginning */
    bool is_found;
};

static struct symbol read_symbol(uintptr_t address)
{
    Dl_info info;
    char command[512], line[512];
    struct symbol symbol = {"", 0, false};
    if (!find_object(__executable_start, &info))
        return symbol;
    snprintf(command, sizeof command, "nm -C -S --defined-only '%s' 2>/dev/null", info.dli_fname);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        unsigned long begin, bytes;
        uintptr_t offset = address - (uintptr_t)info.dli_fbase;
        char kind;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        /* nm prints ADDRESS SIZE KIND NAME, or ADDRESS KIND NAME */
        bool has_size = strlen(line) > 36 && line[33] == ' ' &&
                        sscanf(line, "%lx %lx %c %n", &begin, &bytes, &kind, &at) == 3 && at;
        if (!has_size || offset - begin >= bytes)
            continue;
        snprintf(symbol.name, sizeof symbol.name, "%s", line + at);
        symbol.offset = offset - begin;
        symbol.is_found = true;
    }
    if (pipe)
        pclose(pipe);
    return symbol;
}

/* The symbols that were read, shared by all processes that the tool has started: nm takes longer than a run
 * of a small program, and each run is a process. */
#define MOST_SYMBOLS 64
enum { SYMBOL_FREE, SYMBOL_TAKEN, SYMBOL_THERE };
static struct symbol_read {
    int state; /* one of these */
    uintptr_t address;
    struct symbol symbol;
} * symbols;

__attribute__((constructor)) static void share_symbols(void)
{
    void *shared =
        mmap(NULL, MOST_SYMBOLS * sizeof *symbols, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    symbols = shared == MAP_FAILED ? NULL : shared;
}

static struct symbol symbol_of(uintptr_t address)
{
    unsigned i = 0;
    for (; symbols && i < MOST_SYMBOLS; i++) {
        int state = SYMBOL_FREE;
        if (__atomic_load_n(&symbols[i].state, __ATOMIC_ACQUIRE) == SYMBOL_THERE &&
            symbols[i].address == address)
            return symbols[i].symbol;
        if (__atomic_compare_exchange_n(&symbols[i].state, &state, SYMBOL_TAKEN, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            break;
    }
    struct symbol symbol = read_symbol(address);
    if (symbols && i < MOST_SYMBOLS) {
        symbols[i].address = address;
        symbols[i].symbol = symbol;
        __atomic_store_n(&symbols[i].state, SYMBOL_THERE, __ATOMIC_RELEASE);
    }
    return symbol;
}

void source_variable(uintptr_t address, size_t bytes, char *text, size_t size)
{
    if (ptx_variable_at(address, bytes, text, size))
        return;
    struct symbol symbol = symbol_of(address);
    if (symbol.is_found)
        snprintf(text, size, symbol.offset ? "%s[%zu]" : "%s", symbol.name, (size_t)(symbol.offset / bytes));
    else
        snprintf(text, size, "address %p", (void *)address);
}

void source_shared(uintptr_t offset, size_t bytes, char *text, size_t size)
{
    if (!ptx_shared_at(offset, bytes, text, size))
        snprintf(text, size, "byte %zu of shared memory", (size_t)offset);
}

bool source_dynamic(uintptr_t offset, size_t bytes, char *text, size_t size)
{
    char name[128];
    bool is_named =
        running.launch && ptx_dynamic_at(running.launch->program, offset, bytes, name, sizeof name);
    if (is_named)
        snprintf(text, size, "%s (dynamic shared memory)", name);
    else
        snprintf(text, size, "byte %zu of the dynamic shared memory", (size_t)offset);
    return is_named;
}
