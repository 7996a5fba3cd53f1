#include "machine/ptx/reader.h"
#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_refuse(struct ptx_reader *reader, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(reader->message, reader->message_size, "%s:%u: ", reader->module->name, reader->line);
    size_t begin = used > 0 && (size_t)used < reader->message_size ? (size_t)used : 0;
    va_start(arguments, format);
    vsnprintf(reader->message + begin, reader->message_size - begin, format, arguments);
    va_end(arguments);
    longjmp(*reader->failed, 1);
}

/* ---- tokens ---- */

void ptx_skip_line(struct ptx_reader *reader)
{
    while (*reader->at && *reader->at != '\n')
        reader->at++;
}

static void skip_comment(struct ptx_reader *reader)
{
    for (reader->at += 2; *reader->at && (reader->at[0] != '*' || reader->at[1] != '/'); reader->at++)
        reader->line += *reader->at == '\n';
    if (*reader->at)
        reader->at += 2;
}

char ptx_peek(struct ptx_reader *reader)
{
    for (;;) {
        if (*reader->at == '\n')
            reader->line++;
        if (*reader->at == '/' && reader->at[1] == '/')
            ptx_skip_line(reader);
        else if (*reader->at == '/' && reader->at[1] == '*')
            skip_comment(reader);
        else if (*reader->at && isspace((unsigned char)*reader->at))
            reader->at++;
        else
            return *reader->at;
    }
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

bool ptx_takes(struct ptx_reader *reader, const char *text)
{
    size_t length = strlen(text);
    ptx_peek(reader);
    if (strncmp(reader->at, text, length) != 0 ||
        (is_of_name(text[length - 1]) && is_of_name(reader->at[length])))
        return false;
    reader->at += length;
    return true;
}

void ptx_expect(struct ptx_reader *reader, const char *text)
{
    if (!ptx_takes(reader, text))
        ptx_refuse(reader, "%.*s where %s is expected", (int)strcspn(reader->at, "\n"), reader->at, text);
}

void ptx_skip_parentheses(struct ptx_reader *reader)
{
    ptx_expect(reader, "(");
    reader->at += strcspn(reader->at, ")\n");
    ptx_expect(reader, ")");
}

static const char *copy(struct ptx_reader *reader, const char *begin)
{
    size_t length = (size_t)(reader->at - begin);
    char *name = ptx_allocate(reader->module, length + 1);
    memcpy(name, begin, length);
    return name;
}

const char *ptx_read_name(struct ptx_reader *reader)
{
    ptx_peek(reader);
    const char *begin = reader->at;
    reader->at += *begin == '%';
    while (is_of_name(*reader->at))
        reader->at++;
    if (reader->at == begin)
        ptx_refuse(reader, "%.*s where a name is expected", (int)strcspn(begin, "\n"), begin);
    return copy(reader, begin);
}

const char *ptx_read_word(struct ptx_reader *reader)
{
    ptx_peek(reader);
    const char *begin = reader->at;
    while (is_of_name(*reader->at) || *reader->at == '.' || *reader->at == ':')
        reader->at++;
    if (reader->at == begin)
        ptx_refuse(reader, "%.*s where a word is expected", (int)strcspn(begin, "\n"), begin);
    return copy(reader, begin);
}

struct ptx_number ptx_read_number(struct ptx_reader *reader)
{
    struct ptx_number number = {0};
    ptx_peek(reader);
    bool is_negative = ptx_takes(reader, "-");
    const char *begin = reader->at;
    char *end, *integer_end;
    bool is_bits = *begin == '0' && strchr("fFdD", begin[1]) && begin[1] && isxdigit((unsigned char)begin[2]);
    bool is_binary = *begin == '0' && (begin[1] == 'b' || begin[1] == 'B');
    if (is_bits) {
        number = (struct ptx_number){.is_float = true, .bytes = tolower(begin[1]) == 'f' ? 4 : 8};
        number.bits = strtoull(begin + 2, &end, 16);
        number.bits ^= (uint64_t)is_negative << (8 * number.bytes - 1);
    } else {
        number.bits = strtoull(begin + 2 * is_binary, &integer_end, is_binary ? 2 : 0);
        end = integer_end;
        if (*end == '.' || ((*end == 'e' || *end == 'E') && begin[1] != 'x')) {
            number.is_float = true;
            number.value = strtod(begin, &end) * (is_negative ? -1 : 1);
        } else if (is_negative) {
            number.bits = -number.bits;
        }
        end += *end == 'U';
    }
    if (end == begin)
        ptx_refuse(reader, "%.*s where a number is expected", (int)strcspn(begin, "\n"), begin);
    reader->at = end;
    return number;
}

int64_t ptx_read_integer(struct ptx_reader *reader)
{
    struct ptx_number number = ptx_read_number(reader);
    if (number.is_float)
        ptx_refuse(reader, "a floating-point number where an integer is expected");
    return (int64_t)number.bits;
}

/* ---- declarations ---- */

static const struct type {
    const char *name;
    uint8_t width;
    bool is_float, is_signed;
} types[] = {{".pred", 0, false, false},       {".b8", 1, false, false},     {".u8", 1, false, false},
             {".s8", 1, false, true},          {".b16", 2, false, false},    {".u16", 2, false, false},
             {".s16", 2, false, true},         {".f16", 2, true, false},     {".bf16", 2, true, false},
             {".b32", 4, false, false},        {".u32", 4, false, false},    {".s32", 4, false, true},
             {".f32", 4, true, false},         {".f16x2", 4, true, false},   {".bf16x2", 4, true, false},
             {".b64", 8, false, false},        {".u64", 8, false, false},    {".s64", 8, false, true},
             {".f64", 8, true, false},         {".b128", 16, false, false},  {".texref", 8, false, false},
             {".samplerref", 8, false, false}, {".surfref", 8, false, false}};

static const struct type *type_of(struct ptx_reader *reader, const char *word)
{
    for (const struct type *t = types; t < types + sizeof types / sizeof *types; t++)
        if (strcmp(word, t->name) == 0)
            return t;
    ptx_refuse(reader, "%s is no type that is known here", word);
}

/* a variable has at most this many items, and is aligned to at most this many bytes */
#define MOST_ITEMS ((uint64_t)1 << 40)
#define MOST_ALIGN 65536

/* Reads the sizes in brackets after a name. Sets `is_open` if the first pair of brackets is empty. */
static uint64_t read_extents(struct ptx_reader *reader, bool *is_open)
{
    uint64_t count = 1;
    while (ptx_takes(reader, "["))
        if (ptx_takes(reader, "]")) {
            *is_open = true;
        } else {
            uint64_t extent = (uint64_t)ptx_read_integer(reader);
            if (extent > MOST_ITEMS / (count + 1))
                ptx_refuse(reader, "an array has more than %" PRIu64 " items", MOST_ITEMS);
            count *= extent;
            ptx_expect(reader, "]");
        }
    return count;
}

static uint32_t read_align(struct ptx_reader *reader)
{
    int64_t align = ptx_read_integer(reader);
    if (align < 1 || align > MOST_ALIGN || (align & (align - 1)))
        ptx_refuse(reader, ".align is not a power of 2 up to %d", MOST_ALIGN);
    return (uint32_t)align;
}

uint32_t ptx_read_family(struct ptx_reader *reader)
{
    if (!ptx_takes(reader, "<"))
        return 0;
    uint32_t count = (uint32_t)ptx_read_integer(reader);
    ptx_expect(reader, ">");
    return count;
}

struct ptx_variable ptx_read_variable(struct ptx_reader *reader, enum ptx_space space, uint32_t *count)
{
    struct ptx_variable variable = {.space = space};
    const struct type *type = NULL;
    uint64_t vector = 1;
    bool is_open = false;
    while (!type) {
        const char *word = ptx_read_word(reader);
        if (strcmp(word, ".align") == 0)
            variable.align = read_align(reader);
        else if (strcmp(word, ".v2") == 0 || strcmp(word, ".v4") == 0)
            vector = (uint64_t)(word[2] - '0');
        else if (strcmp(word, ".attribute") == 0) {
            ptx_skip_parentheses(reader);
        } else {
            type = type_of(reader, word);
        }
    }
    variable.width = type->width;
    variable.is_float = type->is_float;
    variable.is_signed = type->is_signed;
    if (ptx_takes(reader, ".ptr")) /* .ptr .global .align 4: what a parameter points to */
        while (ptx_peek(reader) == '.')
            if (strcmp(ptx_read_word(reader), ".align") == 0)
                (void)ptx_read_integer(reader);
    variable.name = ptx_read_name(reader);
    *count = ptx_read_family(reader);
    variable.bytes = variable.width * vector * read_extents(reader, &is_open);
    if (is_open)
        variable.bytes = 0;
    if (!variable.align)
        variable.align = variable.width ? (uint32_t)(variable.width * vector) : 1;
    return variable;
}
