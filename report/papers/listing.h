/* Counts the barriers of Nakano 2013's algorithms by walking through the paper's listings. */
#ifndef REPORT_PAPERS_LISTING_H
#define REPORT_PAPERS_LISTING_H

/* The number of barriers that a listing of Nakano 2013 executes, how many of them the suite leaves out, and
 * how many it adds (docs/machine.md, "Table 1, from runs"). */
struct listed_barriers {
    int listing, left_out, added;
};

/* Counts the barriers of a variant of `sum` in one block, such as "sum-simple", for n numbers, width w >=
 * 4 and latency l. */
struct listed_barriers listed_barriers(const char *variant, unsigned n, unsigned w, unsigned l);

/* Returns how many barriers a run of the suite must execute: the listing's, less those left out, plus those
 * added. */
int expected_barriers(const char *variant, unsigned n, unsigned w, unsigned l);

#endif
