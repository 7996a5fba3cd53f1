#include "machine/ptx.h"
#include "base/memory.h"
#include "machine/code/instructions.h"
#include "machine/ptx/fat_binary.h"
#include "machine/ptx/program.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the first byte of the program in memory, which the linker defines */
extern const char __executable_start[];

/* ---- places ---- */

/* A place is this bit and the distance of the text from the program's first byte. */
#define IS_PLACE (UINT32_C(1) << 30)

bool ptx_is_place(uint32_t place)
{
    return place & IS_PLACE && !(place >> 31);
}

static const struct ptx_statement *statement_of(const void *instruction, const struct ptx_routine **routine)
{
    *routine = ptx_routine_at(instruction);
    if (!*routine)
        return NULL;
    size_t number = ((uintptr_t)instruction + 1 - (uintptr_t)(*routine)->code) / sizeof *(*routine)->code;
    return &(*routine)->function->body->statements[(*routine)->code[number].statement];
}

uint32_t ptx_place_of_statement(const struct ptx_module *module, const struct ptx_statement *statement)
{
    uintptr_t distance = (uintptr_t)(module->origin + statement->text_at) - (uintptr_t)__executable_start;
    return distance < IS_PLACE ? IS_PLACE | (uint32_t)distance : 0;
}

uint32_t ptx_place_of(const void *instruction)
{
    uintptr_t at = ((uintptr_t)instruction + 1) & ~(uintptr_t)(sizeof(void *) - 1);
    const struct ptx_code *code = (const struct ptx_code *)at;
    return at && code->mark == PTX_MARK ? code->place : 0;
}

uint32_t ptx_source_number(const struct ptx_function *function, const struct ptx_statement *statement)
{
    const struct ptx_source *source = &function->module->sources[statement->source];
    uint32_t hash = (source->file * 31 + source->line) * 65599 + source->column, nth = 0;
    for (const struct ptx_statement *s = function->body->statements; s < statement; s++)
        nth += s->source == statement->source && s->opcode && strcmp(s->opcode, statement->opcode) == 0;
    return statement->source ? (hash + nth * 977) << 1 | 1 : statement->text_line;
}

/* ---- the texts of a process that has registered none: those in the program's file, or one image ---- */

/* Returns the section with this name of the program's file, as it is in memory, or NULL. */
static const unsigned char *fat_section(const char *wanted, size_t *bytes)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    const unsigned char *section = NULL;
    Elf64_Ehdr header;
    Elf64_Shdr *rows = NULL;
    char *names = NULL;
    if (file && fread(&header, sizeof header, 1, file) == 1 && header.e_shentsize == sizeof *rows &&
        header.e_shnum) {
        rows = allocate(header.e_shnum * sizeof *rows);
        bool is_read = fseek(file, (long)header.e_shoff, SEEK_SET) == 0 &&
                       fread(rows, sizeof *rows, header.e_shnum, file) == header.e_shnum &&
                       header.e_shstrndx < header.e_shnum;
        const Elf64_Shdr *texts = &rows[header.e_shstrndx];
        if (is_read) {
            names = allocate(texts->sh_size + 1);
            is_read = fseek(file, (long)texts->sh_offset, SEEK_SET) == 0 &&
                      fread(names, 1, texts->sh_size, file) == texts->sh_size;
        }
        for (unsigned r = 0; is_read && r < header.e_shnum; r++)
            if (rows[r].sh_name < texts->sh_size && strcmp(names + rows[r].sh_name, wanted) == 0) {
                /* In a program that is linked to a fixed address, the file's addresses are addresses in
                 * memory. In any other program they are offsets from the program's first byte. */
                uintptr_t base = header.e_type == ET_DYN ? (uintptr_t)__executable_start : 0;
                section = (const unsigned char *)(base + rows[r].sh_addr);
                *bytes = rows[r].sh_size;
            }
    }
    free(names);
    free(rows);
    if (file)
        fclose(file);
    return section;
}

static struct ptx_module **modules;
static size_t module_count;

/* Reads the fat binaries from `at` on. Their variables get no memory, because gpusync-check looks for lines
 * between two runs: an array of its process would change the places of the next run's arrays (array_note()),
 * and so their times. */
static void read_images(const unsigned char *at, size_t bytes)
{
    char message[256];
    for (const unsigned char *end = at + bytes; at + 16 < end;) {
        size_t text_bytes;
        size_t whole;
        struct ptx_text text = {ptx_image_text(at, &text_bytes, &whole), 0};
        text.bytes = text_bytes;
        struct ptx_module *module =
            text.text ? ptx_modules_read(&text, 1, "the program", false, message, sizeof message) : NULL;
        if (module) {
            modules = with_room(modules, sizeof *modules, module_count, 1);
            modules[module_count++] = module;
        }
        at += (whole + 7) / 8 * 8;
        while (at + 16 < end && !*at) /* the linker fills up to the alignment */
            at += 8;
    }
}

/* Reads the fat binaries in this section of the program's file. */
static void read_section(const char *name)
{
    size_t bytes = 0;
    const unsigned char *section = fat_section(name, &bytes);
    if (section)
        read_images(section, bytes);
}

static const void *only_image; /* NULL if the program's file has the images */
static size_t only_bytes;

const char *ptx_set_image(void *image, size_t room, FILE *ptx, FILE *cubin)
{
    only_image = image;
    only_bytes = fat_binary_write(image, room, ptx, cubin);
    return only_bytes ? fat_binary_text(image, FAT_BINARY_PTX).text : NULL;
}

static void read_modules(void)
{
    static bool are_read;
    if (are_read)
        return;
    are_read = true;
    if (only_image)
        read_images(only_image, only_bytes);
    read_section(".nv_fatbin");
    read_section("__nv_relfatbin"); /* the section of separately compiled files (nvcc -rdc=true) */
}

/* Returns the statement at this place of the program's file. */
static const struct ptx_statement *find_statement(uint32_t place, const struct ptx_module **module)
{
    const char *text = (const char *)__executable_start + (place & ~IS_PLACE);
    char message[256];
    read_modules();
    for (size_t m = 0; m < module_count; m++) {
        *module = modules[m];
        size_t at = (size_t)(text - modules[m]->origin);
        if (text < modules[m]->origin || at > strlen(modules[m]->text))
            continue;
        struct ptx_function *best = NULL;
        for (struct ptx_function *f = modules[m]->functions;
             f < modules[m]->functions + modules[m]->function_count; f++)
            if (f->text && f->text <= modules[m]->text + at && (!best || f->text > best->text))
                best = f;
        if (!best || (!best->body && !ptx_body_read(best, message, sizeof message)))
            return NULL;
        for (size_t s = 0; s < best->body->statement_count; s++)
            if (best->body->statements[s].text_at == at)
                return &best->body->statements[s];
    }
    return NULL;
}

static const char *text_name; /* the path of the program's PTX; NULL if the program has other files */

void ptx_set_text_name(const char *path)
{
    text_name = path;
}

void ptx_place_lines(uint32_t place, void (*see)(void *context, const char *path, unsigned line),
                     void *context)
{
    const struct ptx_module *module;
    const struct ptx_statement *statement = find_statement(place, &module);
    if (statement && !statement->source && text_name)
        see(context, text_name, statement->text_line);
    for (uint32_t number = statement ? statement->source : 0, turns = 0; number && turns < 64; turns++) {
        const struct ptx_source *source = &module->sources[number];
        if (source->file < module->file_count && module->files[source->file])
            see(context, module->files[source->file], source->line);
        number = source->inlined_at;
    }
}

/* ---- lines and names in this process ---- */

bool ptx_has_instructions(const char *path)
{
    static const char *const names[] = {"memory_order.cuh", "system_order.cuh", "vector_access.cuh"};
    const char *last = strrchr(path, '/');
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (strcmp(last ? last + 1 : path, names[n]) == 0)
            return true;
    return false;
}

bool ptx_line_of(const void *instruction, char *text, size_t size)
{
    const struct ptx_routine *routine;
    const struct ptx_statement *statement = statement_of(instruction, &routine);
    if (!statement)
        return false;
    const struct ptx_module *module = routine->function->module;
    const struct ptx_source *source = &module->sources[statement->source];
    while (statement->source && source->inlined_at && source->file < module->file_count &&
           module->files[source->file] && ptx_has_instructions(module->files[source->file]))
        source = &module->sources[source->inlined_at];
    if (!statement->source || source->file >= module->file_count || !module->files[source->file]) {
        const char *name = text_name ? text_name : module->name, *last = strrchr(name, '/');
        snprintf(text, size, "%s:%u", last ? last + 1 : name, statement->text_line);
        return true;
    }
    const char *path = module->files[source->file], *last = strrchr(path, '/');
    snprintf(text, size, "%s:%u", last ? last + 1 : path, source->line);
    return true;
}

/* A function of the C++ library. Programs of CUDA are linked with this library. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status) __attribute__((weak));

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

const char *ptx_shown_name(struct ptx_function *kernel)
{
    int status = 0;
    char *whole = kernel->shown || !__cxa_demangle || strncmp(kernel->name, "_Z", 2) != 0
                      ? NULL
                      : __cxa_demangle(kernel->name, NULL, NULL, &status);
    const char *name = whole;
    int depth = 0;
    for (const char *at = whole; at && *at; at++) {
        bool follows_name = at > whole && (is_of_name(at[-1]) || at[-1] == '>');
        if (*at == '(' && !depth && follows_name) /* the parameters */
            break;
        if (!depth && is_of_name(*at) && (at == whole || !is_of_name(at[-1])))
            name = at;
        depth += (*at == '<') - (*at == '>');
    }
    size_t length = 0;
    while (name && is_of_name(name[length]))
        length++;
    for (depth = 0; name && (name[length] == '<' || depth); length++)
        depth += (name[length] == '<') - (name[length] == '>');
    if (length) {
        kernel->shown = copy_text(name);
        ((char *)(uintptr_t)kernel->shown)[length] = 0;
    }
    free(whole);
    kernel->shown = kernel->shown ? kernel->shown : kernel->name;
    return kernel->shown;
}

/* Writes the name as the source has it, without enclosing functions and arguments. */
static void write_name(const char *mangled, size_t item, char *text, size_t size)
{
    int status = 0;
    bool is_mangled = __cxa_demangle && strncmp(mangled, "_Z", 2) == 0; /* "v" alone would be the type void */
    char *name = is_mangled ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
    const char *shown = name ? name : mangled, *last = strrchr(shown, ':');
    snprintf(text, size, item ? "%s[%zu]" : "%s", last && shown != mangled ? last + 1 : shown, item);
    free(name);
}

bool ptx_shared_at(size_t offset, size_t bytes, char *text, size_t size)
{
    for (size_t p = ptx_program_count(); p-- > 0;) {
        const struct ptx_program *program = ptx_program_at(p);
        for (size_t s = 0; s < program->shared_count; s++)
            if (offset - program->shared_offsets[s] < program->shared[s]->bytes) {
                write_name(program->shared[s]->name, (offset - program->shared_offsets[s]) / bytes, text,
                           size);
                return true;
            }
    }
    return false;
}

bool ptx_dynamic_at(const struct ptx_program *program, size_t offset, size_t bytes, char *text, size_t size)
{
    if (!program || !program->dynamic_name || !*program->dynamic_name)
        return false;
    write_name(program->dynamic_name, offset / bytes, text, size);
    return true;
}

bool ptx_variable_at(uintptr_t address, size_t bytes, char *text, size_t size)
{
    for (size_t p = 0; p < ptx_program_count(); p++) {
        const struct ptx_module *module = ptx_program_at(p)->kernel->module->first;
        for (; module; module = module->next)
            for (size_t i = 0; i < module->variable_count; i++) {
                const struct ptx_variable *v = &module->variables[i];
                if (!v->memory || address - (uintptr_t)v->memory >= v->bytes)
                    continue;
                write_name(v->name, (address - (uintptr_t)v->memory) / bytes, text, size);
                return true;
            }
    }
    return false;
}
