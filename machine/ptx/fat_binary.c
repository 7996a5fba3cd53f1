#include "machine/ptx/fat_binary.h"

#include <string.h>

/* ---- fat binaries: a header, and then rows for several architectures, each with its own header ---- */

#define FAT_BINARY 0xba55ed50u
#define IS_COMPRESSED 0xa000u /* the flags of compression by LZ4 and Zstandard */

struct fat_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};
struct fat_row {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, options, version_of_kind, arch, name, name_bytes;
    uint64_t flags;
};
/* Returns the row of this kind for the newest architecture. Its text is NULL if there is no uncompressed
 * row. */
static struct ptx_text row_of(const void *data, enum fat_binary_kind kind)
{
    const struct fat_header *header = data;
    const char *at = (const char *)data + header->header_bytes, *end = at + header->bytes;
    struct ptx_text found = {NULL, 0};
    for (uint32_t newest = 0; at < end;) {
        const struct fat_row *row = (const struct fat_row *)(const void *)at;
        if (row->kind == kind && row->arch >= newest && !(row->flags & IS_COMPRESSED)) {
            found.text = at + row->header_bytes;
            found.bytes = kind == FAT_BINARY_PTX ? strnlen(found.text, row->bytes) : row->bytes;
            newest = row->arch;
        }
        at += row->header_bytes + row->bytes;
    }
    return found;
}

const char *ptx_image_text(const void *data, size_t *bytes, size_t *whole)
{
    const struct fat_header *header = data;
    *whole = header->magic == FAT_BINARY ? header->header_bytes + header->bytes : sizeof *header;
    struct ptx_text found =
        header->magic == FAT_BINARY ? row_of(data, FAT_BINARY_PTX) : (struct ptx_text){NULL, 0};
    *bytes = found.bytes;
    return found.text;
}

struct ptx_text fat_binary_text(const void *data, enum fat_binary_kind kind)
{
    uint32_t magic;
    struct fat_wrapper wrapper;
    memcpy(&magic, data, sizeof magic);
    if (magic == 0x466243b1) { /* cuModuleLoadFatBinary() also takes the wrapper */
        memcpy(&wrapper, data, sizeof wrapper);
        data = wrapper.data;
        magic = FAT_BINARY;
    }
    if (magic == FAT_BINARY)
        return row_of(data, kind);
    return kind == FAT_BINARY_PTX && memcmp(data, "\177ELF", 4) ? (struct ptx_text){data, strlen(data)}
                                                                : (struct ptx_text){NULL, 0};
}

/* Writes a row at `at` with all that is left of a file, and zero bytes: at least one, which ends a text, and
 * up to a multiple of 8. Returns the row's size in bytes, or 0 if the room is too small. */
static size_t write_row(char *at, size_t room, enum fat_binary_kind kind, FILE *content)
{
    struct fat_row row = {kind, 0x101, sizeof row, 0, 0, 0, 0, 90, 0, 0, 0};
    if (room < sizeof row)
        return 0;
    size_t bytes = fread(at + sizeof row, 1, room - sizeof row, content), padded = (bytes + 8) / 8 * 8;
    if (sizeof row + padded > room)
        return 0;
    row.bytes = padded;
    memcpy(at, &row, sizeof row);
    memset(at + sizeof row + bytes, 0, padded - bytes);
    return sizeof row + padded;
}

size_t fat_binary_write(void *image, size_t room, FILE *ptx, FILE *cubin)
{
    struct fat_header header = {FAT_BINARY, 1, sizeof header, 0};
    char *rows = (char *)image + sizeof header;
    size_t text = write_row(rows, room - sizeof header, FAT_BINARY_PTX, ptx), code = 0;
    if (text && cubin)
        code = write_row(rows + text, room - sizeof header - text, FAT_BINARY_CUBIN, cubin);
    if (!text || (cubin && !code))
        return 0;
    header.bytes = text + code;
    memcpy(image, &header, sizeof header);
    return sizeof header + text + code;
}

/* ---- cubins ---- */

/* An attribute of .nv.info: its format, its name and the size of what follows. An attribute with one of the
 * names below is about a function and begins with the index of its symbol. */
#define WITH_SIZE 4
#define REGISTERS 0x2f
struct attribute {
    uint8_t format, name;
    uint16_t bytes; /* the bytes that follow if the format is WITH_SIZE; else a value */
};

static Elf64_Shdr section_at(struct ptx_text cubin, unsigned number)
{
    Elf64_Ehdr header;
    Elf64_Shdr section = {0};
    memcpy(&header, cubin.text, sizeof header);
    if (number < header.e_shnum)
        memcpy(&section, cubin.text + header.e_shoff + number * sizeof section, sizeof section);
    return section;
}

struct ptx_text cubin_content(struct ptx_text cubin, unsigned number)
{
    Elf64_Shdr section = section_at(cubin, number);
    bool is_whole = section.sh_offset <= cubin.bytes && section.sh_size <= cubin.bytes - section.sh_offset;
    bool has_text = is_whole && section.sh_type != SHT_NOBITS && section.sh_size;
    return has_text ? (struct ptx_text){cubin.text + section.sh_offset, section.sh_size}
                    : (struct ptx_text){NULL, 0};
}

/* Returns the string at this place of a section of strings, or "" if there is none. */
static const char *string_at(struct ptx_text strings, uint32_t at)
{
    return at < strings.bytes && memchr(strings.text + at, 0, strings.bytes - at) ? strings.text + at : "";
}

struct ptx_text cubin_section(struct ptx_text cubin, const char *name)
{
    Elf64_Ehdr header;
    memcpy(&header, cubin.text, sizeof header);
    struct ptx_text names = cubin_content(cubin, header.e_shstrndx);
    for (unsigned s = 1; s < header.e_shnum; s++)
        if (!strcmp(string_at(names, section_at(cubin, s).sh_name), name))
            return cubin_content(cubin, s);
    return (struct ptx_text){NULL, 0};
}

Elf64_Sym cubin_symbol_at(struct ptx_text cubin, uint32_t number)
{
    struct ptx_text symbols = cubin_section(cubin, ".symtab");
    Elf64_Sym symbol = {0};
    if (number < symbols.bytes / sizeof symbol)
        memcpy(&symbol, symbols.text + number * sizeof symbol, sizeof symbol);
    return symbol;
}

uint32_t cubin_symbol(struct ptx_text cubin, const char *function)
{
    Elf64_Ehdr header;
    if (cubin.bytes < sizeof header || memcmp(cubin.text, ELFMAG, SELFMAG))
        return 0;
    memcpy(&header, cubin.text, sizeof header);
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > cubin.bytes ||
        header.e_shnum > (cubin.bytes - header.e_shoff) / sizeof(Elf64_Shdr))
        return 0;
    struct ptx_text names = cubin_section(cubin, ".strtab");
    uint32_t number = (uint32_t)(cubin_section(cubin, ".symtab").bytes / sizeof(Elf64_Sym));
    for (Elf64_Sym symbol; number; number--) {
        symbol = cubin_symbol_at(cubin, number);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && !strcmp(string_at(names, symbol.st_name), function))
            break;
    }
    return number;
}

/* Finds the registers in .nv.info of the function whose symbol has this index. */
static unsigned registers_in(const char *at, size_t bytes, uint32_t symbol)
{
    struct attribute attribute;
    uint32_t value[2];
    for (size_t i = 0; i + sizeof attribute <= bytes;) {
        memcpy(&attribute, at + i, sizeof attribute);
        i += sizeof attribute;
        if (attribute.format != WITH_SIZE)
            continue;
        if (attribute.name == REGISTERS && attribute.bytes == sizeof value && i + sizeof value <= bytes) {
            memcpy(value, at + i, sizeof value);
            if (value[0] == symbol)
                return value[1];
        }
        i += attribute.bytes;
    }
    return 0;
}

unsigned cubin_registers(struct ptx_text cubin, const char *kernel)
{
    uint32_t symbol = cubin_symbol(cubin, kernel);
    if (!symbol)
        return 0;
    struct ptx_text info = cubin_section(cubin, ".nv.info");
    return registers_in(info.text, info.bytes, symbol);
}
