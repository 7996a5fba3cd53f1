/* A PTX module as its text says it: variables, functions, source lines. */
#ifndef MACHINE_PTX_MODULE_H
#define MACHINE_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_space { PTX_GENERIC, PTX_REGISTER, PTX_PARAMETER, PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL };

/* A variable, register or parameter of a module or of a function. */
struct ptx_variable {
    const char *name;
    enum ptx_space space;
    uint8_t width; /* size of an element in bytes; 0 for a predicate */
    bool is_float, is_signed, is_external;
    bool is_weak; /* may several modules define it, which then share it? */
    uint32_t align;
    uint64_t bytes; /* 0 for an array without a size, such as dynamic shared memory */
    /* Offset in bytes. A kernel's parameter has an offset among the kernel's parameters. Any other variable
     * of a function has an offset in the private memory of a thread. Registers have no offset. */
    uint32_t offset;
    uint32_t number;     /* for a register: its number in its function */
    const char *initial; /* the text of its initial value; NULL if it has none */
    void *memory;        /* for a global or const variable, its memory */
};

struct ptx_body; /* machine/ptx/body.h */

struct ptx_function {
    const char *name;
    /* a kernel's name as a launch in the source has it; NULL until ptx_shown_name() is called */
    const char *shown;
    struct ptx_module *module;
    bool is_kernel;
    struct ptx_variable *parameters, *results;
    unsigned parameter_count, result_count;
    uint32_t parameter_bytes;
    const char *text; /* the text of its body after the brace; NULL if the function is only declared */
    uint32_t text_line;
    unsigned most_threads;        /* the product of .maxntid or .reqntid; 0 if there is none */
    unsigned required_cluster[3]; /* .reqnctapercluster; 0 if there is none */
    struct ptx_body *body;        /* NULL until the text has been read */
    struct ptx_program *program;  /* the program of a kernel; NULL until it has been made */
};

/* Where an instruction comes from: a line, and the place at which its function was inlined. */
struct ptx_source {
    uint32_t file, line, column;
    uint32_t inlined_at; /* number of the source line of the call; 0 if the function was not inlined */
};

/* The text of a module, which need not end with a zero. */
struct ptx_text {
    const char *text;
    size_t bytes;
};

struct ptx_module {
    /* The modules that are linked with this one: the first of their list, and the next one or NULL. */
    struct ptx_module *first, *next;
    char *text;            /* ends with a zero; names are copies of their own */
    const char *origin;    /* where the text was read from; equal in all runs if this is the program's file */
    const char *name;      /* the module's name in messages */
    struct ptx_text cubin; /* the machine code of its functions; its text is NULL if it is not known */
    struct ptx_function *functions;
    size_t function_count;
    struct ptx_variable *variables;
    size_t variable_count;
    const char **files; /* indexed by the numbers of .file; NULL where there is none */
    size_t file_count;
    struct ptx_source *sources; /* number 0 means that the line is not known */
    size_t source_count;
    struct ptx_names *names;   /* functions and variables by name */
    struct ptx_names *tables;  /* all tables of names that were made for the module */
    struct ptx_memory *memory; /* what the module has allocated */
};

/* Reads the PTX of one or several files that are linked. If `has_memory` is true, their variables get memory,
 * with initial values, and become arrays of the machine. Returns the first of the modules; the others follow
 * it. `name` is for messages. Returns NULL and writes a message that names the line of the PTX if a text is
 * not valid. */
struct ptx_module *ptx_modules_read(const struct ptx_text *texts, size_t count, const char *name,
                                    bool has_memory, char *message, size_t message_size);
/* Frees a module and the modules after it. */
void ptx_modules_free(struct ptx_module *module);

/* Find a function or a variable of the module by its name. If only a module that is linked with this one
 * defines it, they return that one. They return NULL if the module does not declare the name. */
struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name);
struct ptx_variable *ptx_variable_find(const struct ptx_module *module, const char *name);

/* Allocates memory that is all zero, and that lives as long as the module. */
void *ptx_allocate(struct ptx_module *module, size_t bytes);

/* A table of names, each with a value that is not NULL. */
struct ptx_names;
struct ptx_names *ptx_names_make(struct ptx_module *module);
void *ptx_names_find(const struct ptx_names *names, const char *name);
/* Gives the name this value, in place of its value so far. Returns the old value, or NULL. */
void *ptx_names_set(struct ptx_names *names, const char *name, void *value);

/* Adds the name of the module's function or variable with this number to its table of names. */
void ptx_name_note(struct ptx_module *module, const char *name, size_t number, bool is_variable);

#endif
