/* Substitution matrices and gap costs. */
#ifndef ALIGN_SCORING_H
#define ALIGN_SCORING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCORING_LETTERS 32
#define NO_LETTER SCORING_LETTERS /* a code that is none's, where a kernel reads beyond a sequence */

struct scoring {
    char letters[SCORING_LETTERS + 1]; /* the alphabet; a letter's place is its code */
    int count;
    int common; /* so many of the first letters are what random sequences are made of */
    int score[SCORING_LETTERS * SCORING_LETTERS]; /* of code a against code b at a * SCORING_LETTERS + b */
    bool has_row[SCORING_LETTERS];                /* while a file is read */
    int open, extend; /* a gap of k letters costs open + (k - 1) * extend; both positive */
};

/*
 * Fills in the matrix called `name`: blosum62 (Henikoff and Henikoff 1992), nucleotide (5 for a match, -4 for
 * a mismatch; -2 against N, -1 for N against N), or else a file in NCBI's format. Exits with EXIT_BAD_INPUT,
 * naming file and line, if the file is wrong.
 */
void read_matrix(const char *name, struct scoring *out);

/* The code of a letter of either case, or -1. */
int letter_code(const struct scoring *scoring, char letter);

#ifdef __cplusplus
}
#endif

#endif
