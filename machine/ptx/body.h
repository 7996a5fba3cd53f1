/* The body of a PTX function: its statements, with operands whose names are resolved. */
#ifndef MACHINE_PTX_BODY_H
#define MACHINE_PTX_BODY_H

#include "machine/ptx/module.h"

struct ptx_argument {
    enum {
        PTX_IS_VARIABLE, /* a register, or the address of another variable plus `number` */
        PTX_IS_NUMBER,   /* `number`; or `real` if is_float, unless it was written as bits */
        /* an address in brackets: `variable` (0 if it is NULL) plus `number`; `items` has what else is in
         * them */
        PTX_IS_ADDRESS,
        PTX_IS_GROUP, /* a list in braces or parentheses: `items` */
        PTX_IS_PAIR,  /* a|b: `items` */
        PTX_IS_FUNCTION,
        PTX_IS_LABEL,   /* `number` is the number of the label's statement */
        PTX_IS_TARGETS, /* a list of labels: `items` */
        PTX_IS_SPECIAL, /* a special register, `name` */
        PTX_IS_NOTHING  /* _ */
    } kind;
    bool is_not; /* is it preceded by !? */
    bool is_float;
    unsigned float_bytes; /* 0 if the number was not written as bits */
    double real;
    struct ptx_variable *variable;
    struct ptx_function *function;
    const char *name;
    const char *part; /* the part of a register that is meant, such as ".b0"; NULL for the whole register */
    int64_t number;
    struct ptx_argument *items;
    unsigned count;
};

struct ptx_operation; /* machine/ptx/code.h */

struct ptx_statement {
    const char *opcode; /* the opcode with its modifiers */
    /* the opcode's row; NULL for arithmetic, and until the program is made that has the statement */
    const struct ptx_operation *operation;
    const struct ptx_variable *guard; /* NULL if there is none */
    bool guard_is_not;
    struct ptx_argument *arguments;
    unsigned argument_count;
    uint32_t text_line; /* line in the PTX */
    uint32_t text_at;   /* offset in the module's text */
    uint32_t source;    /* number of the source line in the module */
    /* for a load, a mask of the loaded bytes that are padding; bits beyond its size may be set, too */
    uint32_t unused_bytes;
};

/* A variable in private memory. nvcc declares all local arrays of a function as one variable; each array is
 * an object of its own here (machine/ptx/stack.c). */
struct ptx_object {
    uint32_t begin, bytes;
};

struct ptx_body {
    struct ptx_statement *statements;
    size_t statement_count;
    struct ptx_variable **registers; /* indexed by a register's number */
    uint32_t register_count;
    /* size of a thread's private memory for one call: local variables, and parameters of calls */
    uint32_t private_bytes;
    struct ptx_variable **privates; /* the variables in private memory */
    size_t private_count;
    struct ptx_object *objects; /* sorted by their places; NULL until ptx_part_arrays() is called */
    size_t object_count;
};

/* Notes the objects of the function, and moves its local variables apart (stack.c). */
void ptx_part_arrays(struct ptx_body *body);

/* Reads the function's body. Returns NULL and writes a message if it is not valid. */
struct ptx_body *ptx_body_read(struct ptx_function *function, char *message, size_t message_size);

#endif
