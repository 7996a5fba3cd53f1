/* The functions that formulas may call. */
#ifndef REPORT_FORMULA_FUNCTIONS_H
#define REPORT_FORMULA_FUNCTIONS_H

#include "report/sources.h"
#include "report/value.h"

#define MOST_ARGUMENTS 5

/* A call in a formula. Arguments are texts, without their quotes. */
struct call {
    struct sources *sources;
    const char *formula, *rest; /* the whole formula, and the part of it after the call, for messages */
    int count;
    char argument[MOST_ARGUMENTS][64];
};

/* A function that formulas may call. Two functions may share a name if their numbers of arguments differ. */
struct formula_function {
    const char *name;
    /* the names of the arguments, separated by ", "; there are as many arguments as names */
    const char *arguments;
    struct value (*value)(const struct call *call);
    const char *help;
    const char *reads; /* the result that the function reads if no argument names one, or NULL */
};

extern const struct formula_function formula_functions[];
extern const size_t formula_functions_count;

/* The functions of single papers and programs, which report/papers/formula_functions.c defines. */
extern const struct formula_function paper_functions[];
extern const size_t paper_functions_count;

/* Exits with EXIT_BAD_INPUT, because the formula cannot be read from `rest` on. */
void refuse_formula(const char *formula, const char *rest) __attribute__((noreturn));

/* Returns an argument that is a number, or `any`, `all`, `best` or `largest`, for which the negative
 * numbers below stand. Exits with EXIT_BAD_INPUT for another text. */
enum { BLOCKS_ANY = -1, BLOCKS_ALL = -2, BLOCKS_BEST = -3, OF_LARGEST = -4 };
double call_number(const struct call *call, int argument);

#endif
