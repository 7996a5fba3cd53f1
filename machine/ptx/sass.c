/* What the instructions of PTX cost in the machine code (SASS) that ptxas has made of them. The section
 * .nv_debug_line_sass of a cubin says for each instruction of SASS of which line of the PTX it was made. */
#include "base/memory.h"
#include "machine/ptx/fat_binary.h"
#include "machine/state.h"

#include <stdlib.h>
#include <string.h>

/* an instruction: 128 bits from sm_70 on */
struct instruction {
    uint64_t low, high;
};

struct function {
    struct ptx_text cubin;
    Elf64_Sym symbol;
    size_t count;    /* number of the function's instructions */
    uint32_t *lines; /* for each instruction, its line in the PTX; 0 if the line is not known */
};

/* ---- lines: the section is a program for line numbers as in DWARF 2, section 6.2 ---- */

enum { COPY = 1, ADVANCE_ADDRESS, ADVANCE_LINE, SET_FILE, SET_COLUMN, ADD_CONSTANT = 8 };
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };

/* Reads a number of variable length, and moves *at after it. */
static int64_t read_number(const unsigned char **at, const unsigned char *end, bool is_signed)
{
    int64_t value = 0, weight = 1;
    for (bool goes_on = true; goes_on && *at < end && weight < INT64_C(1) << 56; weight *= 128) {
        value += (**at & 127) * weight;
        goes_on = *(*at)++ & 128;
    }
    return is_signed && value >= weight / 2 ? value - weight : value;
}

/* Returns the address, from the function's begin on, that is relocated at this place of the section; or -1 if
 * it is of another section of code. */
static int64_t relocated(const struct function *of, size_t place)
{
    struct ptx_text table = cubin_section(of->cubin, ".rela.nv_debug_line_sass");
    Elf64_Rela rela = {.r_offset = place + 1};
    for (size_t at = 0; rela.r_offset != place && at + sizeof rela <= table.bytes; at += sizeof rela)
        memcpy(&rela, table.text + at, sizeof rela);
    Elf64_Sym symbol = cubin_symbol_at(of->cubin, (uint32_t)ELF64_R_SYM(rela.r_info));
    bool is_own = rela.r_offset == place && symbol.st_shndx == of->symbol.st_shndx;
    return is_own ? (int64_t)(symbol.st_value + (uint64_t)rela.r_addend - of->symbol.st_value) : -1;
}

/* Runs the section's program, which says for addresses of which line their instructions are. Its header has
 * the size of the rest of the program, a version, the size of the rest of the header, and the bytes that are
 * named here. */
static void find_lines(struct function *of)
{
    struct ptx_text program = cubin_section(of->cubin, ".nv_debug_line_sass");
    enum { HEADER_BYTES = 6, LINE_BASE = 12, LINE_RANGE, FIRST_SPECIAL, LEAST };
    uint32_t header_bytes;
    if (program.bytes < LEAST || program.text[4] != 2 /* the version */ || !program.text[LINE_RANGE])
        return;
    memcpy(&header_bytes, program.text + HEADER_BYTES, sizeof header_bytes);
    const unsigned char *section = (const unsigned char *)program.text, *end = section + program.bytes;
    const unsigned char *at = section + HEADER_BYTES + sizeof header_bytes;
    unsigned line_range = section[LINE_RANGE], first_special = section[FIRST_SPECIAL];
    int64_t address = -1, line = 1;
    for (at += header_bytes < (size_t)(end - at) ? header_bytes : end - at; at < end;) {
        unsigned operation = *at++, special = operation - first_special;
        int64_t more = 0;
        if (operation >= first_special) {
            more = special / line_range;
            line += (signed char)section[LINE_BASE] + (int)(special % line_range);
        } else if (operation == ADVANCE_ADDRESS) {
            more = read_number(&at, end, false);
        } else if (operation == ADVANCE_LINE) {
            line += read_number(&at, end, true);
        } else if (operation == SET_FILE || operation == SET_COLUMN) {
            read_number(&at, end, false);
        } else if (operation == ADD_CONSTANT) {
            more = (255 - first_special) / line_range;
        } else if (operation == 0) {
            int64_t bytes = read_number(&at, end, false);
            if (bytes < 1 || bytes > end - at)
                break;
            address = *at == SET_ADDRESS ? relocated(of, (size_t)(at + 1 - section)) : address;
            line = *at == END_SEQUENCE ? 1 : line;
            at += bytes;
        }
        address += address < 0 ? 0 : more;
        size_t number = (size_t)address / sizeof(struct instruction);
        if ((operation == COPY || operation >= first_special) && address >= 0 && number < of->count)
            of->lines[number] = (uint32_t)line;
    }
    for (size_t i = 1; i < of->count; i++)
        of->lines[i] = of->lines[i] ? of->lines[i] : of->lines[i - 1];
}

/* ---- instructions ---- */

/* The operations in the lowest nine bits of an instruction, as nvdisasm 13 shows them for sm_90. The uniform
 * datapath has the operations from UMOV on. Operations from FLO on have no fixed latency: the unit for
 * special functions and conversions has the operations before NOP, and the rest are control and memory
 * operations. */
enum { FMUL = 0x020, DMUL = 0x028, DFMA = 0x02b, HFMA2 = 0x035, UMOV = 0x080, FLO = 0x100, NOP = 0x118 };
enum { S2R = 0x119, BSYNC = 0x141, BRA = 0x147, LDC = 0x182, S2UR = 0x1c3 };

/* Returns whether the operation computes, reads a special register or a constant, or branches. Other
 * operations access memory, wait at a barrier or sleep: the machine makes requests for them, whose times were
 * measured. */
static bool is_counted(unsigned operation)
{
    return operation < NOP || operation == S2R || (operation >= BSYNC && operation <= BRA) ||
           operation == LDC || operation == S2UR;
}

static enum machine_unit unit_of(unsigned operation)
{
    if (operation >= UMOV)
        return operation >= FLO && operation < NOP ? UNIT_SPECIAL : UNIT_ISSUE;
    if (operation >= DMUL && operation <= DFMA)
        return UNIT_DOUBLE;
    return (operation >= FMUL && operation < DMUL) || operation == HFMA2 ? UNIT_ISSUE : UNIT_INTEGER;
}

/* Returns how many issue slots an instruction of a warp takes of its unit. A multiprocessor has four slots in
 * a cycle. The number is 128 lanes divided by the unit's number of lanes (CUDA C++ Programming Guide,
 * "Throughput of Native Arithmetic Instructions": 64 lanes for integers, 16 for special functions and
 * conversions; for double precision 64 with compute capability 9.0 and 10.0, 32 with 8.0, and 2 with
 * others). */
static float slots_of(enum machine_unit unit)
{
    static const float slots[MACHINE_UNITS] = {1, 2, 2, 8};
    int capability = the_machine.description.compute_capability;
    bool is_slow = unit == UNIT_DOUBLE && capability != 90 && capability != 100;
    return !is_slow ? slots[unit] : capability == 80 ? 4 : 64;
}

/* The time in cycles until an instruction without a fixed latency has its result. Three such instructions
 * follow one another in a division of 32-bit integers, whose other instructions take 69.5 cycles by their
 * stall counts (nvcc 13, sm_90); `divide` of micro-components takes 129.7 on an H200 without the loop's
 * branch. */
#define VARIABLE_LATENCY 20
/* The time in cycles until such an instruction has read its registers, so that others may write them. A hop
 * of half-hop-named of micro-components, whose two barriers have their numbers in registers, takes 42 cycles
 * on an H200, and 28 on the machine without this time. */
#define READ_LATENCY 16

/*
 * Adds up by line the times from each instruction to the next one, for a warp that is alone. Bits 41 to 44
 * of the upper word are the least number of cycles. Bits 46 to 48 are the barrier that an instruction
 * without a fixed latency signals when its result is ready, and bits 49 to 51 the one that it signals when
 * it has read its registers; 7 means none. Bits 52 to 57 are the barriers for which an instruction waits
 * (Jia et al. 2018, section 2.1). Waits for requests do not count: the machine knows when they end.
 */
static void add_costs(const struct function *of, const struct instruction *code, struct sass_cost *costs,
                      uint32_t lines)
{
    float now = 0, ready[8] = {0}, is_free[MACHINE_UNITS] = {0};
    size_t end = of->count;
    for (size_t i = 0; i < end; i++) {
        uint64_t low = code[i].low, high = code[i].high;
        unsigned operation = low & 0x1ff, stall = high >> 41 & 15;
        /* the operation, then its form and its modifiers, such as .X for a carry */
        uint32_t kind = operation << 12 | (uint32_t)(low >> 9 & 7) << 9 | (uint32_t)(high >> 8 & 0x1ff);
        enum machine_unit unit = unit_of(operation);
        float begin = now;
        for (unsigned b = 0; b < 6; b++)
            if (high >> (52 + b) & 1 && ready[b] > now)
                now = ready[b];
        now = is_free[unit] > now ? is_free[unit] : now;
        is_free[unit] = now + slots_of(unit);
        ready[high >> 49 & 7] = now + READ_LATENCY;
        ready[high >> 46 & 7] = is_counted(operation) ? now + VARIABLE_LATENCY : 0;
        now += stall ? (float)stall : 1;
        /* BRA.DIV leads to code for warps that have parted before a shuffle, which is last and hardly ever
         * executed; the distance is in words of four bytes, in bits 16 to 23 and from bit 34 on */
        size_t target = i + 1 + ((low >> 34) << 8 | (low >> 16 & 255)) * 4 / sizeof *code;
        if (operation == BRA && high >> 27 & 1 && target < end)
            end = target;
        struct sass_cost *cost = &costs[of->lines[i] < lines ? of->lines[i] : 0];
        cost->copies = kind > cost->kind ? 1 : cost->copies + (kind == cost->kind);
        cost->kind = kind > cost->kind ? kind : cost->kind;
        if (!is_counted(operation))
            continue;
        cost->cycles += now - begin;
        cost->slots[UNIT_ISSUE]++;
        cost->slots[unit] += unit == UNIT_ISSUE ? 0 : slots_of(unit);
    }
}

struct sass_cost *sass_costs(struct ptx_text cubin, const char *function, uint32_t lines)
{
    uint32_t number = cubin_symbol(cubin, function);
    if (!number)
        return NULL;
    struct function of = {.cubin = cubin, .symbol = cubin_symbol_at(cubin, number)};
    struct ptx_text section = cubin_content(cubin, of.symbol.st_shndx);
    if (of.symbol.st_value > section.bytes || of.symbol.st_size > section.bytes - of.symbol.st_value)
        return NULL;
    of.count = of.symbol.st_size / sizeof(struct instruction);
    of.lines = allocate((of.count + 1) * sizeof *of.lines);
    find_lines(&of);
    struct sass_cost *costs = of.lines[0] ? allocate(lines * sizeof *costs) : NULL;
    if (costs)
        add_costs(&of, (const void *)(section.text + of.symbol.st_value), costs, lines);
    free(of.lines);
    return costs;
}
