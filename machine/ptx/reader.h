/* Reads PTX text, token by token: for module.c and body.c. */
#ifndef MACHINE_PTX_READER_H
#define MACHINE_PTX_READER_H

#include "machine/ptx/module.h"

#include <setjmp.h>

struct ptx_reader {
    struct ptx_module *module;
    const char *at;
    uint32_t line;
    jmp_buf *failed; /* where to jump after an error */
    char *message;
    size_t message_size;
};

/* Writes "NAME:LINE: MESSAGE" and leaves the reader by its `failed`. */
void ptx_refuse(struct ptx_reader *reader, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Skips blanks and comments. Returns the next character, which is not skipped; 0 at the end of the text. */
char ptx_peek(struct ptx_reader *reader);
/* Skips the text if it comes next, and returns whether it did. */
bool ptx_takes(struct ptx_reader *reader, const char *text);
/* Skips the text, which must come next. */
void ptx_expect(struct ptx_reader *reader, const char *text);
/* Reads a name of letters, digits, _ and $ that may begin with %. Refuses anything else. */
const char *ptx_read_name(struct ptx_reader *reader);
/* Reads a word that may also have dots and colons: a directive or an opcode. */
const char *ptx_read_word(struct ptx_reader *reader);
/* Reads an integer constant. */
int64_t ptx_read_integer(struct ptx_reader *reader);
/* Skips what stands between "(" and the next ")" in the same line, and both. */
void ptx_skip_parentheses(struct ptx_reader *reader);
/* Skips up to the end of the line. */
void ptx_skip_line(struct ptx_reader *reader);

/* A number: `is_float` says that it is a floating-point constant, whose value is `value`, or whose bits are
 * `bits` if it was written as 0f or 0d, with a size of 4 or 8 bytes. */
struct ptx_number {
    bool is_float;
    unsigned bytes; /* 0 if the number was not written as bits */
    uint64_t bits;
    double value;
};
struct ptx_number ptx_read_number(struct ptx_reader *reader);

/* Reads what follows the state space in a declaration: alignment, type, name and size. `count` is the number
 * of registers in a family such as %r<91>, and 0 for any other declaration. */
struct ptx_variable ptx_read_variable(struct ptx_reader *reader, enum ptx_space space, uint32_t *count);

/* Reads the number of registers of a family, such as <91>. Returns 0 if there is none. */
uint32_t ptx_read_family(struct ptx_reader *reader);

#endif
