/* Sequences: FASTA files and generated ones. */
#ifndef ALIGN_SEQUENCES_H
#define ALIGN_SEQUENCES_H

#include "align/scoring.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sequence {
    char *name; /* the sequence's name: its line in the file up to the first blank */
    unsigned char *codes;
    size_t length;
};

struct sequences {
    struct sequence *items;
    size_t count;
};

/*
 * Reads a FASTA file of two or more sequences. Exits with EXIT_BAD_INPUT, naming file and line, for text
 * before the first name, a letter that the matrix does not have, a sequence without letters, or fewer than
 * two sequences.
 */
void read_fasta(const char *path, const struct scoring *scoring, struct sequences *out);

/* padded_codes() returns a sequence's codes between two paddings, each of PADDING times the code NO_LETTER.
 * The caller frees the array with free(). */
#define PADDING 256
unsigned char *padded_codes(const struct sequence *s);

void free_sequences(struct sequences *list);

/* Generates two or more random sequences with `letters` letters in all. Their lengths are distributed like
 * the lengths of proteins: the logarithm of the length is normal, with a standard deviation of 0.6 around the
 * logarithm of `median`. */
void generate_database(size_t letters, size_t median, unsigned long long seed, const struct scoring *scoring,
                       struct sequences *out);

/* Generates two related sequences of about `length` letters: the second is a copy of the first with a fifth
 * of its letters drawn anew, and with gaps. */
void generate_sequences(size_t length, unsigned long long seed, const struct scoring *scoring,
                        struct sequences *out);

#ifdef __cplusplus
}
#endif

#endif
