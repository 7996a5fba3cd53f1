/* Reads a PTX module, apart from the bodies of its functions (body.c). */
#include "base/memory.h"
#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "machine/ptx/reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

/* Skips a text in braces, whose first brace has been read. */
static void skip_braces(struct ptx_reader *reader)
{
    unsigned depth = 1;
    while (depth) {
        reader->at += strcspn(reader->at, "{}\n\"/");
        char c = *reader->at;
        if (!c)
            ptx_refuse(reader, "a brace is not closed");
        if (c == '/' && reader->at[1] == '/') {
            ptx_skip_line(reader);
            continue;
        }
        if (c == '"') {
            reader->at += 1 + strcspn(reader->at + 1, "\"\n");
            reader->at += *reader->at == '"';
            continue;
        }
        depth += c == '{';
        depth -= c == '}';
        reader->line += c == '\n';
        reader->at++;
    }
}

/* Reads a list of parameters in parentheses. */
static struct ptx_variable *read_parameters(struct ptx_reader *reader, unsigned *count)
{
    struct ptx_variable *list = NULL;
    uint32_t family;
    *count = 0;
    while (!ptx_takes(reader, ")")) {
        struct ptx_variable *longer = ptx_allocate(reader->module, (*count + 1) * sizeof *longer);
        if (*count)
            memcpy(longer, list, *count * sizeof *list);
        list = longer;
        bool is_register = ptx_takes(reader, ".reg");
        if (!is_register)
            ptx_expect(reader, ".param");
        list[(*count)++] = ptx_read_variable(reader, is_register ? PTX_REGISTER : PTX_PARAMETER, &family);
        ptx_takes(reader, ",");
    }
    return list;
}

static uint32_t place(struct ptx_variable *variables, unsigned count)
{
    uint32_t end = 0;
    for (struct ptx_variable *v = variables; v < variables + count; v++) {
        v->offset = (end + v->align - 1) / v->align * v->align;
        end = v->offset + (uint32_t)v->bytes;
    }
    return end;
}

/* Reads up to three numbers, and returns their product. */
static unsigned read_extent(struct ptx_reader *reader, unsigned extent[3])
{
    for (unsigned i = 0; i < 3; i++)
        extent[i] = i && !ptx_takes(reader, ",") ? 1 : (unsigned)ptx_read_integer(reader);
    return extent[0] * extent[1] * extent[2];
}

/* Reads the directives between a function's parameters and its body. */
static void read_directives(struct ptx_reader *reader, struct ptx_function *function)
{
    unsigned extent[3];
    while (ptx_peek(reader) == '.') {
        const char *word = ptx_read_word(reader);
        if (strcmp(word, ".maxntid") == 0 || strcmp(word, ".reqntid") == 0)
            function->most_threads = read_extent(reader, extent);
        else if (strcmp(word, ".reqnctapercluster") == 0)
            read_extent(reader, function->required_cluster);
        else if (strcmp(word, ".pragma") == 0)
            ptx_skip_line(reader);
        else
            while (ptx_peek(reader) != '.' && *reader->at != '{' && *reader->at != ';' && *reader->at)
                reader->at++;
    }
}

static void read_function(struct ptx_reader *reader, bool is_kernel)
{
    struct ptx_module *module = reader->module;
    struct ptx_function read = {.module = module, .is_kernel = is_kernel};
    if (!is_kernel) {
        while (ptx_takes(reader, ".attribute"))
            ptx_skip_parentheses(reader);
        if (ptx_takes(reader, "("))
            read.results = read_parameters(reader, &read.result_count);
    }
    read.name = ptx_read_name(reader);
    if (ptx_takes(reader, "("))
        read.parameters = read_parameters(reader, &read.parameter_count);
    read.parameter_bytes = place(read.parameters, read.parameter_count);
    read_directives(reader, &read);
    read.text_line = reader->line;
    if (ptx_takes(reader, "{")) {
        read.text = reader->at;
        skip_braces(reader);
    } else {
        ptx_expect(reader, ";");
    }
    struct ptx_function *known = ptx_function_find(module, read.name);
    if (known) { /* declared before */
        if (!known->text)
            *known = read;
        return;
    }
    module->functions = with_room(module->functions, sizeof read, module->function_count, 1);
    module->functions[module->function_count] = read;
    ptx_name_note(module, read.name, module->function_count++, false);
}

/* ---- variables ---- */

static void read_variables(struct ptx_reader *reader, enum ptx_space space, bool is_external, bool is_weak)
{
    struct ptx_module *module = reader->module;
    uint32_t family;
    struct ptx_variable read = ptx_read_variable(reader, space, &family);
    read.is_external = is_external;
    read.is_weak = is_weak;
    if (ptx_takes(reader, "=")) {
        ptx_peek(reader);
        read.initial = reader->at;
        while (*reader->at && *reader->at != ';')
            reader->line += *reader->at++ == '\n';
    }
    ptx_expect(reader, ";");
    struct ptx_variable *known = ptx_variable_find(module, read.name);
    if (known) {
        if (known->is_external)
            *known = read;
        return;
    }
    module->variables = with_room(module->variables, sizeof read, module->variable_count, 1);
    module->variables[module->variable_count] = read;
    ptx_name_note(module, read.name, module->variable_count++, true);
}

/* The value of a name in an initial value: generic(NAME), or NAME, perhaps with an offset. */
static uint64_t read_address(struct ptx_reader *reader)
{
    bool is_generic = ptx_takes(reader, "generic(");
    const char *name = ptx_read_name(reader);
    const struct ptx_variable *variable = ptx_variable_find(reader->module, name);
    const struct ptx_function *function = ptx_function_find(reader->module, name);
    if (!variable && !function)
        ptx_refuse(reader, "%s is neither a variable nor a function", name);
    if (is_generic)
        ptx_expect(reader, ")");
    uint64_t offset = ptx_takes(reader, "+") ? (uint64_t)ptx_read_integer(reader) : 0;
    return (function ? (uint64_t)(uintptr_t)function : (uint64_t)(uintptr_t)variable->memory) + offset;
}

static void write_value(struct ptx_reader *reader, const struct ptx_variable *variable, size_t *at)
{
    if (ptx_takes(reader, "{")) {
        while (!ptx_takes(reader, "}")) {
            write_value(reader, variable, at);
            ptx_takes(reader, ",");
        }
        return;
    }
    uint64_t bits;
    /* 0xFF(NAME) is a byte of an address: mask, then the name */
    uint64_t mask = 0;
    if (strncmp(reader->at, "0x", 2) == 0) {
        const char *end = reader->at + strspn(reader->at, "0123456789abcdefABCDEFx");
        if (*end == '(') {
            mask = (uint64_t)ptx_read_integer(reader);
            ptx_expect(reader, "(");
        }
    }
    char next = ptx_peek(reader);
    if (mask || next == '_' || next == '$' || next == '%' || (next | 32) >= 'a') {
        bits = read_address(reader);
        if (mask) {
            bits = (bits & mask) >> __builtin_ctzll(mask);
            ptx_expect(reader, ")");
        }
    } else {
        struct ptx_number number = ptx_read_number(reader);
        bits = number.bits;
        if (number.is_float && variable->width == 4 && number.bytes != 4) {
            double value = number.value;
            if (number.bytes == 8)
                memcpy(&value, &number.bits, sizeof value);
            float narrow = (float)value;
            uint32_t narrow_bits;
            memcpy(&narrow_bits, &narrow, sizeof narrow);
            bits = narrow_bits;
        } else if (number.is_float && !number.bytes) {
            memcpy(&bits, &number.value, sizeof bits);
        }
    }
    if (variable->width > sizeof bits)
        ptx_refuse(reader, "%s has initial values of more than 8 bytes", variable->name);
    if (*at + variable->width > variable->bytes)
        ptx_refuse(reader, "%s has more initial values than items", variable->name);
    memcpy((unsigned char *)variable->memory + *at, &bits, variable->width);
    *at += variable->width;
}

/* Allocates the module's variables. */
static void give_memory(struct ptx_reader *reader)
{
    struct ptx_module *module = reader->module;
    for (struct ptx_variable *v = module->variables; v < module->variables + module->variable_count; v++) {
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || !v->bytes)
            continue;
        if (ptx_variable_find(module, v->name) != v) /* another module has it */
            continue;
        size_t bytes = (v->bytes + 255) / 256 * 256;
        if (!(v->memory = aligned_alloc(256, bytes)))
            ptx_refuse(reader, "no memory for %s", v->name);
        memset(v->memory, 0, bytes);
        array_note(v->memory, v->bytes, device_chosen(), NULL);
    }
}

/* Writes the initial values, which can be addresses of other variables. */
static void write_values(struct ptx_reader *reader)
{
    struct ptx_module *module = reader->module;
    for (struct ptx_variable *v = module->variables; v < module->variables + module->variable_count; v++)
        if (v->initial && v->memory) {
            size_t at = 0;
            reader->at = v->initial;
            write_value(reader, v, &at);
        }
}

/* ---- the module ---- */

static enum ptx_space space_named(const char *word)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {
        {".global", PTX_GLOBAL}, {".const", PTX_CONST}, {".shared", PTX_SHARED}, {".local", PTX_LOCAL}};
    for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(word, spaces[i].name) == 0)
            return spaces[i].space;
    return PTX_GENERIC;
}

/* Returns the character for a backslash and what follows: up to three octal digits, n, t, or itself. Leaves
 * the reader at the last of these. */
static char read_escape(struct ptx_reader *reader)
{
    unsigned octal = 0, digits = 0;
    for (; digits < 3 && reader->at[1] >= '0' && reader->at[1] <= '7'; digits++)
        octal = 8 * octal + (unsigned)(*++reader->at - '0');
    if (digits)
        return (char)octal;
    char c = *++reader->at;
    return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* numbers of files are less than this; compilers count them from 1 */
#define MOST_FILES ((size_t)1 << 20)

static void read_file(struct ptx_reader *reader)
{
    struct ptx_module *module = reader->module;
    size_t number = (size_t)ptx_read_integer(reader);
    if (number >= MOST_FILES)
        ptx_refuse(reader, ".file has a number of %zu or more", MOST_FILES);
    ptx_expect(reader, "\"");
    char *name = ptx_allocate(module, strcspn(reader->at, "\n") + 1), *end = name;
    for (; *reader->at && !strchr("\"\n", *reader->at); reader->at++) {
        if (*reader->at == '\\' && reader->at[1])
            *end++ = read_escape(reader);
        else
            *end++ = *reader->at;
    }
    reader->at += *reader->at == '"';
    if (number >= module->file_count) {
        module->files = reallocate(module->files, (number + 1) * sizeof *module->files);
        while (module->file_count <= number)
            module->files[module->file_count++] = NULL;
    }
    module->files[number] = name;
    ptx_skip_line(reader);
}

static void read_item(struct ptx_reader *reader)
{
    bool is_external = false, is_weak = false;
    for (;;) {
        const char *word = ptx_read_word(reader);
        enum ptx_space space = space_named(word);
        if (strcmp(word, ".extern") == 0 || strcmp(word, ".common") == 0)
            is_external = word[1] == 'e';
        else if (strcmp(word, ".visible") == 0 || strcmp(word, ".weak") == 0)
            is_weak = word[1] == 'w';
        else if (strcmp(word, ".entry") == 0 || strcmp(word, ".func") == 0)
            return read_function(reader, word[1] == 'e');
        else if (space != PTX_GENERIC)
            return read_variables(reader, space, is_external, is_weak);
        else if (strcmp(word, ".file") == 0)
            return read_file(reader);
        else if (strcmp(word, ".section") == 0) {
            while (*reader->at && *reader->at != '{')
                reader->at++;
            ptx_expect(reader, "{");
            return skip_braces(reader);
        } else if (strcmp(word, ".version") == 0 || strcmp(word, ".target") == 0 ||
                   strcmp(word, ".address_size") == 0 || strcmp(word, ".pragma") == 0)
            return ptx_skip_line(reader);
        else
            ptx_refuse(reader, "%s is not known here", word);
    }
}

static struct ptx_module *make_module(const struct ptx_text *text, const char *name)
{
    struct ptx_module *module = allocate(sizeof *module);
    module->text = allocate(text->bytes + 1);
    memcpy(module->text, text->text, text->bytes);
    module->origin = text->text;
    char *copied = ptx_allocate(module, strlen(name) + 1);
    module->name = strcpy(copied, name);
    module->names = ptx_names_make(module);
    module->sources = allocate(sizeof *module->sources);
    module->source_count = 1;
    return module;
}

/* Gives the variables of all modules memory, then writes their values, which may be addresses of others. */
static void fill_memory(struct ptx_reader *reader, struct ptx_module *first)
{
    for (reader->module = first; reader->module; reader->module = reader->module->next)
        give_memory(reader);
    for (reader->module = first; reader->module; reader->module = reader->module->next)
        write_values(reader);
}

/* Returns whether the texts of the modules could be read. */
static bool read_all(struct ptx_module *first, bool has_memory, char *message, size_t message_size)
{
    jmp_buf failed;
    struct ptx_reader reader = {.failed = &failed, .message = message, .message_size = message_size};
    const volatile bool fills = has_memory; /* volatile, because longjmp() may lose other variables */
    if (setjmp(failed))
        return false;
    for (reader.module = first; reader.module; reader.module = reader.module->next) {
        reader.module->first = first;
        reader.at = reader.module->text;
        reader.line = 1;
        while (ptx_peek(&reader))
            read_item(&reader);
    }
    if (fills)
        fill_memory(&reader, first);
    return true;
}

struct ptx_module *ptx_modules_read(const struct ptx_text *texts, size_t count, const char *name,
                                    bool has_memory, char *message, size_t message_size)
{
    struct ptx_module *first = NULL;
    for (size_t i = count; i-- > 0;) {
        struct ptx_module *module = make_module(&texts[i], name);
        module->next = first;
        first = module;
    }
    if (read_all(first, has_memory, message, message_size))
        return first;
    ptx_modules_free(first);
    return NULL;
}
