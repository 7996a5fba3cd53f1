/*
 * The source files of the checked program: which files are the user's own, where their functions begin and
 * end, and which functions are wrappers. tools/check/program.bash lists the files that the compiler has read.
 */
#ifndef CHECK_SOURCES_H
#define CHECK_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

/* A function of a source file, as found in the file's text. */
struct source_function {
    char name[96];        /* the name without the classes and namespaces around it */
    unsigned first, last; /* the lines of its brackets { and } */
    bool is_kernel;       /* does __global__ stand before the name? */
    /* The number of statements between the brackets, without declarations that initialize nothing and without
     * the return of a variable. A loop with an empty body is a statement. */
    unsigned statements;
};

enum source_origin {
    SOURCE_OWN,     /* the user's own file: reports name its lines */
    SOURCE_LIBRARY, /* a library, such as CUB: a report names it after the user's own line */
    SOURCE_HIDDEN   /* a header of gpusync-check or of the compiler: reports never name it */
};

struct source {
    enum source_origin origin;
    char *path; /* the path that the compiler was given, relative to the folder in which the check began */
    /* the name in reports: the path without folders, or for a library the path in its #include */
    char *shown;
    /* the absolute path without links, . and .., by which the file is found; NULL if it is not known */
    char *real;
    /* The file's text, and the beginning of each of its lines; both are NULL until they are needed. */
    char *text, **lines;
    unsigned line_count;
    struct source_function *functions;
    size_t function_count;
};

/* Reads the list of the program's files: "own PATH", "ptx PATH" or "library PATH NAME" in each line, with
 * tabs between the words. Exits with EXIT_BAD_INPUT if it cannot be read. */
void sources_read(const char *list);

/* Returns the path of the PTX that the program is made of, or NULL if it has no such file. */
const char *sources_ptx(void);

size_t sources_count(void);
struct source *sources_at(size_t number);

/* Returns the file with this path, or NULL if reports never name it. */
struct source *source_find(const char *path);

/* Returns a line of the file without its line feed, or "" if there is none. The text is valid until the next
 * call. */
const char *source_text(struct source *source, unsigned line);

/* Writes the name of the array that the line allocates: "s.items" for cudaMalloc((void **)&s.items, bytes).
 * Returns false if it does not show one name: it has no such call or several, or its function returns the
 * array, so that others know it by another name. */
bool source_allocated(struct source *source, unsigned line, char *name, size_t size);

/* Returns the function in which the line is, or NULL if it is in none. */
const struct source_function *source_function_at(struct source *source, unsigned line);

/* The lines of a loop's head and of its last bracket. source_loop_of() returns the innermost loop whose
 * brackets { and } contain both lines, or {0, 0} if there is none. */
struct source_loop {
    unsigned first, last;
};
struct source_loop source_loop_of(struct source *source, unsigned first, unsigned second);

/* Returns whether the function is a wrapper: it is not a kernel and has at most one statement. For
 * NULL, returns false. */
bool source_is_wrapper(const struct source_function *function);

#endif
