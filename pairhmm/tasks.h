/* Tasks for the pair hidden Markov model: which read is compared with which haplotype, in batches, from files
 * or generated. Qualities follow GATK's convention: phred + 33. */
#ifndef PAIRHMM_TASKS_H
#define PAIRHMM_TASKS_H

#include "harness/batches.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A letter of a read (a base), and its qualities as phred numbers, 0..93. */
struct read_letter {
    unsigned char base, quality, insertion, deletion, continuation;
};

/* A read and a haplotype, given by the index of their first letters in the pools of letters and by their
 * lengths. */
struct pairhmm_pair {
    unsigned read_at, haplotype_at;
    int read_length, haplotype_length;
};

/* The ranges of a batch: of its reads' letters, of its haplotypes' letters and of its pairs; for each range
 * the place of its first element and the number of elements. */
struct pairhmm_batch {
    size_t read_at, read_letters, haplotype_at, haplotype_letters, first, pairs;
};

struct pairhmm_tasks {
    struct read_letter *reads;
    unsigned char *haplotypes;
    struct pairhmm_pair *pairs; /* the pairs in input order */
    struct pairhmm_batch *batches;
    size_t read_letters, haplotype_letters, pair_count, batch_count;
};

/*
 * Reads tasks in one of two formats. One has a line for each pair, "haplotype read quality insertion deletion
 * continuation [expected]", and # begins a comment. The other has regions: "R H", then R lines "read quality
 * insertion deletion continuation", then H haplotypes; every read is compared with every haplotype, read by
 * read. A file of pairs is one batch, and each region is one. Letters are A, C, G, T, N. Exits with
 * EXIT_BAD_INPUT, naming file and line, for anything else.
 */
void pairhmm_read_tasks(const char *path, struct pairhmm_tasks *out);

/*
 * Generates batches of pairs: a single batch has exactly `size` pairs, several have 1 to 2 size - 1 each.
 * Each batch is a region: up to 12 haplotypes that differ in a few places, and reads from them with errors at
 * the rate of their qualities.
 */
void pairhmm_generate_tasks(size_t size, size_t batches, struct length_range reads,
                            struct length_range haplotypes, unsigned long long seed,
                            struct pairhmm_tasks *out);

void pairhmm_free_tasks(struct pairhmm_tasks *tasks);

#ifdef __cplusplus
}
#endif

#endif
