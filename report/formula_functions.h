/* The functions that formulas may call. */
#ifndef REPORT_FORMULA_FUNCTIONS_H
#define REPORT_FORMULA_FUNCTIONS_H

#include "report/sources.h"
#include "report/value.h"

#define MOST_ARGUMENTS 5

/* A call of a function in a formula. The arguments are texts, without their quotes. */
struct call {
    struct sources *sources;
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
    struct value (*value)(const struct call *call);
    const char *help;
    const char *reads; /* name of the result that the function reads if no argument names one, or NULL */
};

extern const struct formula_function formula_functions[];
extern const size_t formula_functions_count;

/* The list of formula functions that serve a single paper or program (report/papers/formula_functions.c). */
extern const struct formula_function paper_functions[];
extern const size_t paper_functions_count;

/* The list of formula functions that compare points with several numbers of blocks
 * (report/block_functions.c). */
extern const struct formula_function block_functions[];
extern const size_t block_functions_count;

/* file_of returns the result that the call's first argument names, or NULL if the folder does not have it;
 * then no_result is the call's value. */
struct result *file_of(const struct call *call);
struct value no_result(const struct call *call);

/* Exits with EXIT_BAD_INPUT and a message that the formula cannot be read from its part `rest` on. */
void refuse_formula(const char *formula, const char *rest) __attribute__((noreturn));

/* call_number returns an argument of the call that must be a number. For the words `any`, `all`, `best` and
 * `largest` it returns these negative numbers, in this order. Exits with EXIT_BAD_INPUT for another text. */
enum { BLOCKS_ANY = -1, BLOCKS_ALL = -2, BLOCKS_BEST = -3, OF_LARGEST = -4 };
double call_number(const struct call *call, int argument);

#endif
