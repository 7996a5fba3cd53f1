/*
 * Formulas over the results of a device, as in results/papers/claims.json, docs/numbers.txt and the rooms'
 * tables.txt: numbers, + - * /, parentheses, min(A, B), max(A, B), and functions of results, such as
 *
 *     round('micro-barrier', 'lock-free', 30) / barrier('micro-barrier', 'counter', all)
 *
 * `report help formulas` lists the functions (report/formula_functions.c and
 * report/papers/formula_functions.c).
 */
#ifndef REPORT_FORMULA_H
#define REPORT_FORMULA_H

#include "report/results.h"
#include "report/value.h"

#include <stdio.h>

/* The source of formulas: a folder of results. Initialize it as {.folder = ...}. */
struct sources {
    const char *folder;
    /* the point that the formula functions time(), operation() and member() read, or NULL */
    const cJSON *point;
    const struct result *result; /* the result to which `point` belongs */
    const struct result *first;  /* the first result that a formula has read, or NULL */
    /* set by sources_note_reads(): `reads` has the points that formulas have read since then, for notes and
     * for draws */
    bool notes;
    struct read {
        const struct result *result;
        const cJSON *point;
        /* the point is one of several, with different numbers of blocks or sizes, that the formula
         * compares */
        bool searched;
    } * reads;
    size_t read_count;
};

/* Returns the result `name` (report/results.h), or NULL if the folder does not have it. */
const struct result *sources_result(struct sources *sources, const char *name);

/* Notes that a formula read the point, which may be NULL, if points are to be noted. */
void sources_note(struct sources *sources, const struct result *result, const cJSON *point, bool searched);

/* sources_note_reads forgets all noted points and notes the points that formulas read from now on;
 * sources_close frees them. */
void sources_note_reads(struct sources *sources);
void sources_close(struct sources *sources);

/* Returns the value of a formula. Exits with EXIT_BAD_INPUT if the formula cannot be read. */
struct value formula_value(const char *formula, struct sources *sources);

/* Returns the name of the first result that the formula reads, as a made text (report/table.h). */
const char *formula_source(const char *formula);

/* Prints the language of formulas and its functions. */
void print_formula_help(FILE *file);

/* ---- the functions that formulas may call ---- */

#define MOST_ARGUMENTS 5

/* A call of a function in a formula. The arguments are texts, without their quotes. */
struct call {
    struct sources *sources;
    const struct result *result; /* the result that the argument FILE names, if there is one */
    /* the whole formula, and the rest of it after the call, both for error messages */
    const char *formula, *rest;
    int count;
    char argument[MOST_ARGUMENTS][96];
};

/* A function that formulas may call. Functions may share a name if they have different numbers of
 * arguments. */
struct formula_function {
    const char *name;
    /* the names of the function's arguments, separated by ", "; their number is the number of arguments */
    const char *arguments;
    /* the name of the file that the function reads if no argument names a result, or "" if it opens results
     * itself. With NULL, and if its first argument is FILE, it is called only if the folder has this
     * result. */
    const char *reads;
    struct value (*value)(const struct call *call);
    const char *help;
};

/* Defines the function `name` of formulas, whose value is an expression in `call` and in `r`, which is
 * call->result. */
#define FORMULA_FUNCTION(name, expression)                                                                   \
    static struct value name(const struct call *call)                                                        \
    {                                                                                                        \
        const struct result *r = call->result;                                                               \
        (void)r;                                                                                             \
        return expression;                                                                                   \
    }

extern const struct formula_function formula_functions[];
extern const size_t formula_functions_count;

/* The lists of formula functions that serve a single paper or program (report/papers/formula_functions.c and
 * study.c). */
extern const struct formula_function paper_functions[];
extern const size_t paper_functions_count;
extern const struct formula_function study_functions[];
extern const size_t study_functions_count;

/* The list of formula functions that compare points with several numbers of blocks
 * (report/block_functions.c). */
extern const struct formula_function block_functions[];
extern const size_t block_functions_count;

/* Exits with EXIT_BAD_INPUT and a message that the formula cannot be read from its part `rest` on. */
void refuse_formula(const char *formula, const char *rest) __attribute__((noreturn));

/* call_number returns an argument of the call that must be a number. For the words `any`, `all`, `best` and
 * `largest` it returns these negative numbers, in this order. Exits with EXIT_BAD_INPUT for another text. */
enum { OF_ANY = -1, OF_ALL = -2, OF_BEST = -3, OF_LARGEST = -4 };
double call_number(const struct call *call, int argument);

#endif
