/* Substitution matrices and gap costs. */
#ifndef ALIGN_SCORING_H
#define ALIGN_SCORING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCORING_LETTERS 32
/* the code that a kernel reads for a place outside a sequence; no letter has this code */
#define NO_LETTER SCORING_LETTERS

struct scoring {
    char letters[SCORING_LETTERS + 1]; /* the alphabet; a letter's index in it is the letter's code */
    int count;
    int common; /* random sequences are made of the first `common` letters */
    /* the score of the letters with codes a and b is score[a * SCORING_LETTERS + b] */
    int score[SCORING_LETTERS * SCORING_LETTERS];
    /* has_row[c] tells whether the row of letter c has already been read from the matrix file */
    bool has_row[SCORING_LETTERS];
    int open, extend; /* a gap of k letters costs open + (k - 1) * extend; both are positive */
};

/*
 * Fills in the matrix called `name`: blosum62 (Henikoff and Henikoff 1992), nucleotide (5 for a match, -4 for
 * a mismatch; -2 against N, -1 for N against N), or else a file in NCBI's format. Exits with EXIT_BAD_INPUT,
 * naming file and line, if the file is wrong.
 */
void read_matrix(const char *name, struct scoring *out);

/* Returns the code of an upper-case or lower-case letter, or -1 if the matrix does not have the letter. */
int letter_code(const struct scoring *scoring, char letter);

#ifdef __cplusplus
}
#endif

#endif
