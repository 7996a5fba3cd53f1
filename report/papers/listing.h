/* The barriers of Nakano 2013's algorithms, counted by walking through its listings. */
#ifndef REPORT_PAPERS_LISTING_H
#define REPORT_PAPERS_LISTING_H

/* What the listing executes, and what the suite does otherwise (docs/machine.md, "Table 1, from runs"). */
struct listed_barriers {
    int listing, left_out, added;
};

/* Of a variant of `sum` in one block ("sum-simple", "prefix-hybrid"), n numbers, width w from 4 on, latency l. */
struct listed_barriers listed_barriers(const char *variant, unsigned n, unsigned w, unsigned l);

/* As many as a run must have. */
int expected_barriers(const char *variant, unsigned n, unsigned w, unsigned l);

#endif
