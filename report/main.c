/*
 * What results say: tables beside the papers' numbers, figures, pages, comparisons.
 *
 *     build/report TABLE FOLDER [text|markdown|json|html]
 *     build/report figures FOLDER...          draws into plots/FOLDER/
 *     build/report compare [--points] [A] B   without A: beside the committed results of the nearest device
 *     build/report cost DEVICE [--blocks N] [--threads T]     microseconds of each barrier and hop at one's size
 *     build/report cards A B...               how much cards of one model differ, for A/cards.json
 *     build/report constants PRESET [FORM]    a machine's constants, and what each was taken from
 *     build/report claims-matrix FORM FOLDER...   every claim on every device
 *     build/report ratios A B FORM            best against best
 *     build/report documents [--check]        makes the documents from docs/templates/, or tells which differ
 *     build/report list [FORM]                the figures, and what makes them
 *     build/report preset NAME FILE           a machine's description from a GPU's micro-components
 *     build/report vary PRESET NUMBER         a machine's description with its constants drawn (scripts/robustness)
 *     build/report robustness FOLDER WORK     in how many draws of WORK each claim has the folder's verdict
 *     build/report --version
 *     build/report study WORK FOLDER          a study from the runs in WORK (scripts/memory-
 *       machine-study)
 */
#include "base/failure.h"
#include "base/text.h"
#include "base/version.h"
#include "report/claims.h"
#include "report/cards.h"
#include "report/compare.h"
#include "report/cost.h"
#include "report/documents.h"
#include "report/figures.h"
#include "report/folders.h"
#include "report/preset.h"
#include "report/robustness.h"
#include "report/study.h"
#include "report/tables.h"
#include "report/vary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void usage(void)
{
    fail(EXIT_BAD_INPUT,
         "usage: report TABLE FOLDER [FORM] | figures FOLDER... | compare [--points] [A] B | cards A B... | "
         "cost DEVICE [--blocks N] [--threads T] | "
         "constants PRESET [FORM] | claims-matrix FORM FOLDER... | "
         "list [FORM] | documents [--check] | preset NAME FILE | vary PRESET NUMBER | robustness FOLDER WORK "
         "| "
         "study WORK FOLDER | --version");
}

/* A folder may be written with a slash at its end. */
static void drop_slashes(char *argument)
{
    for (size_t length = strlen(argument); length > 1 && argument[length - 1] == '/';)
        argument[--length] = '\0';
}

/* Every folder's figures and pages; the last line is where to look. */
static int draw(int count, char **folders)
{
    size_t left_out = 0;
    char plots[512];
    for (int i = 0; i < count; i++) {
        struct drawing drawing = draw_folder(folders[i]);
        write_page(&drawing);
        left_out += drawing.left_out;
        free(drawing.drawn);
    }
    write_overview();
    if (left_out)
        fprintf(stderr, "report: %zu figures were left out\n", left_out);
    plots_of(folders[0], plots, sizeof plots);
    printf("open %s/index.html\n", count == 1 ? plots : "plots");
    return left_out ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

static void print_and_delete(cJSON *json)
{
    char *text = cJSON_Print(json);
    puts(text);
    cJSON_free(text);
    cJSON_Delete(json);
}

static void vary(const char *preset, const char *word)
{
    long long number;
    if (!parse_whole(word, 0, 1000000, &number))
        usage();
    print_varied(preset, (unsigned long long)number, stdout);
}

/* Of one folder: beside the committed one of the same device, or of the nearest. */
static int compare(int count, char **arguments)
{
    bool points = count && strcmp(arguments[0], "--points") == 0;
    if (count != 1 + points && count != 2 + points)
        fail(EXIT_BAD_INPUT, "usage: report compare [--points] [A] B");
    const char *b = arguments[count - 1];
    char *nearest = count == 1 + points ? nearest_reference(b) : NULL;
    const char *a = nearest ? nearest : arguments[points];
    compare_folders(a, b, points, stdout);
    size_t failed = 0;
    if (can_draw()) {
        failed = draw_comparison(a, b);
        write_overview();
    }
    free(nearest);
    return failed ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

/* A folder, or the name of a device that results/ or results/reference/ has one of. */
static const char *folder_of(const char *device)
{
    static char path[512];
    static const char *const parents[] = {"", "results/", "results/reference/"};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        snprintf(path, sizeof path, "%s%s", parents[i], device);
        if (access(path, F_OK) == 0)
            return path;
    }
    return device;
}

/* DEVICE [--blocks N] [--threads T] */
static void cost(int count, char **words)
{
    long long of[2] = {-1, -1};
    static const char *const names[] = {"--blocks", "--threads"};
    for (int i = 1; i < count; i += 2) {
        int which = strcmp(words[i], names[1]) == 0;
        if (strcmp(words[i], names[which]) != 0 || i + 1 == count ||
            !parse_whole(words[i + 1], 1, 1000000, &of[which]))
            fail(EXIT_BAD_INPUT, "usage: report cost DEVICE [--blocks N] [--threads T]");
    }
    const char *folder = folder_of(words[0]);
    check_folder(folder);
    print_cost(folder, (double)of[0], (double)of[1], FORM_TEXT, stdout);
}

/* What goes into documents, too; false: it is none of that. */
static bool print_tables(int count, char **words, FILE *file)
{
    const struct tables *tables = table_of_name(words[0]);
    if (tables && (count == 2 || count == 3)) {
        check_folder(words[1]);
        print_tables_of(tables, words[1], count == 3 ? form_of(words[2]) : FORM_TEXT, file);
    } else if (strcmp(words[0], "constants") == 0 && (count == 2 || count == 3)) {
        print_constants(words[1], count == 3 ? form_of(words[2]) : FORM_TEXT, file);
    } else if (strcmp(words[0], "claims-matrix") == 0 && count > 2) {
        print_claims_matrix(words + 2, (size_t)count - 2, form_of(words[1]), file);
    } else if (strcmp(words[0], "ratios") == 0 && count == 4) {
        print_best_ratios(words[1], words[2], form_of(words[3]), file);
    } else if (strcmp(words[0], "list") == 0 && count <= 2) {
        print_figures(count == 2 ? form_of(words[1]) : FORM_TEXT, file);
    } else {
        return false;
    }
    return true;
}

static void print_in_document(int count, char **words, FILE *file)
{
    if (!print_tables(count, words, file))
        usage();
}

int main(int argc, char **argv)
{
    set_program_name("report");
    if (argc < 2)
        usage();
    const char *what = argv[1];
    int status = EXIT_VERIFIED;
    results_keep();
    for (int i = 2; i < argc; i++)
        drop_slashes(argv[i]);
    if (strcmp(what, "cost") == 0 && argc > 2 && argc != 4) { /* with a form: the page's table */
        cost(argc - 2, argv + 2);
    } else if (print_tables(argc - 1, argv + 1, stdout)) {
    } else if (strcmp(what, "figures") == 0 && argc > 2) {
        status = draw(argc - 2, argv + 2);
    } else if (strcmp(what, "compare") == 0) {
        status = compare(argc - 2, argv + 2);
    } else if (strcmp(what, "cards") == 0 && argc > 3) {
        print_and_delete(cards_describe(argv + 2, argc - 2));
    } else if (strcmp(what, "vary") == 0 && argc == 4) {
        vary(argv[2], argv[3]);
    } else if (strcmp(what, "robustness") == 0 && argc == 4) {
        print_and_delete(robustness_describe(argv[2], argv[3]));
    } else if (strcmp(what, "documents") == 0 && argc == 2) {
        make_documents(print_in_document, false);
    } else if (strcmp(what, "documents") == 0 && argc == 3 && strcmp(argv[2], "--check") == 0) {
        status = make_documents(print_in_document, true) ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
    } else if (strcmp(what, "preset") == 0 && argc == 4) {
        print_preset(argv[2], argv[3], stdout);
    } else if (strcmp(what, "--version") == 0 && argc == 2) {
        print_version("report");
    } else if (strcmp(what, "study") == 0 && argc == 4) {
        study_collect(argv[2], argv[3]);
    } else {
        usage();
    }
    finish_output();
    return status;
}
