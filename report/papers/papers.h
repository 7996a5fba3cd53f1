/* The tables and curves of single papers and programs. */
#ifndef REPORT_PAPERS_PAPERS_H
#define REPORT_PAPERS_PAPERS_H

#include "report/arguments.h"
#include "report/results.h"
#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- report/papers/bugs.c ---- */

/* Makes the tables of tools/bugs/README.md and docs/findings.md: the programs of tools/bugs/, and the reports
 * of compute-sanitizer on the programs with which gpusync-check is tested (tools/bugs/under-sanitizer). */

/* Prints a table with a row for each kind of mistake: how many programs have it, in how many of them
 * compute-sanitizer finds something, and by which tool. Also says for how many right programs it reports an
 * error. */
void print_sanitizer(const char *folder, enum form form, FILE *file);

/* Prints a row for each program of `folder`, which is tools/bugs/. */
void print_bugs(const char *folder, enum form form, FILE *file);

/* Prints the rows of those programs of tools/bugs/ whose broken and mended form are litmus tests in
 * micro/litmus/patterns/, with links to the headings of docs/findings.md and to the public threads. */
void print_findings(const char *folder, enum form form, FILE *file);

/* ---- report/papers/blind.c ---- */

/* Prints the tables of tools/blind/README.md and docs/predict.md, which compare predictions with
 * measurements. */

/* Prints a row for each program of `folder`, which is tools/blind/ or tools/blind/second/. */
void print_blind(const char *folder, enum form form, FILE *file);

/* Prints how far the predictions of all programs in the folder are off. */
void print_blind_errors(const char *folder, enum form form, FILE *file);

/* Prints for how many pairs of points (FOLDER/pairs.tsv) the prediction says correctly which point takes
 * longer. */
void print_blind_pairs(const char *folder, enum form form, FILE *file);

/* Prints a row for each kind of program and one for all points. The points come from all batches of the
 * folder. */
void print_blind_kinds(const char *folder, enum form form, FILE *file);

/* print_blind_intervals() prints a row for each card and bottleneck: the interval of a prediction, and how
 * many points are in an interval that was computed without their program. print_blind_ratios() prints a
 * row for each card: the factor within which a ratio of two predictions was, and for how many pairs it
 * holds without their program. */
void print_blind_intervals(const char *folder, enum form form, FILE *file);
void print_blind_ratios(const char *folder, enum form form, FILE *file);

/* ---- report/papers/published.c ---- */

/*
 * Compares what others published with what the memory machine predicts: the rows of
 * results/papers/published.tsv, whose head describes their cells.
 *
 * A prediction is fitted if its formula reads nothing but one constant, whose source names the publication of
 * the row. Such a row shows nothing about the machine, so it is counted apart.
 */

/*
 * The command `published`: prints the comparison. For programs (is_for_programs) this is one table of all
 * rows. Otherwise there are three tables, each with a sentence: for the predictions that are not fitted, for
 * the fitted ones, and for what is not predicted. Exits with EXIT_BAD_INPUT, and names the row, if a row
 * lacks a number or a link, if its device has no results, or if its formula has no value. A prediction that
 * is not fitted and is off by more than a fifth must have a sentence, too.
 */
int print_published(struct arguments *arguments, FILE *file);

/* ---- report/papers/best.c ---- */

/* Compares the suite's best algorithms with libraries. */

/* Writes three curves of a program (fft or bitonic) for gnuplot: the papers' algorithm with its best barrier,
 * the best variant with few barriers, and the library. A row has the size, the time in microseconds and the
 * ends of its interval. Returns false if the folder lacks the results for a curve. */
bool write_best_curves(const char *folder, const char *program, FILE *file);

/* Prints the table `best`: the suite's best algorithms beside libraries and beside the papers' algorithms. */
void print_best(const char *folder, enum form form, FILE *file);

/* ---- report/papers/cost.c ---- */

/* The table `cost`: the time of a barrier with a given number of blocks, and of a hop. */

/*
 * Prints, for each method, the time that a barrier with the arguments' number of blocks and threads takes
 * beyond the loop without barriers, and its 95 % interval; then the time of a hop. -1 blocks stand for one on
 * every multiprocessor, -1 threads for the number of threads of the first measured point. What was not
 * measured is interpolated, or predicted by the memory machine. Exits with EXIT_BAD_INPUT if the device
 * cannot hold such blocks at once, or nothing is known of them.
 */
void print_cost(const char *folder, const struct arguments *arguments, FILE *file);

/* Returns whether the folder has the times that the table `cost` shows by default: with a block on every
 * multiprocessor. */
bool has_cost_of_all(const char *folder);
void print_cost_of_all(const char *folder, enum form form, FILE *file);

/* ---- report/papers/litmus.c ---- */

/* Shows litmus tests (micro-litmus) on a device and on the memory machine: which outcomes PTX allows, and how
 * often each outcome came. */

/*
 * Writes the data of plots/litmus.gp: a row for each litmus test in each of its forms. A row has the places
 * of the form and of the test, counted from 0; their names; whether PTX allows the outcome that the test asks
 * for; how often this outcome came per execution, on this device and on the machine; and whether any
 * execution of the machine's model shows it. Returns false if the result does not come from micro-litmus.
 */
bool write_litmus(const struct result *result, FILE *file);

/* Prints the table `litmus`: which outcome of each test PTX allows, and how often it came. */
void print_litmus(const char *folder, enum form form, FILE *file);

/* ---- report/papers/weak_memory.c ---- */

/* The tables of two studies of weak memory, FOLDER/weak-memory/seeds.json (by scripts/weak-memory-study) and
 * cost.json (by machine/bench/weak_memory.cu). */

/* These functions print the tables `weak-memory-seeds` (from seeds.json) and `weak-memory-cost` (from
 * cost.json). */
void print_weak_seeds(const char *folder, enum form form, FILE *file);
void print_weak_cost(const char *folder, enum form form, FILE *file);

#endif
