/*
 * What results say: tables beside the papers' numbers, figures, pages, comparisons.
 *
 *     build/report TABLE FOLDER [text|markdown|json|html]
 *     build/report figures FOLDER...          draws into plots/FOLDER/
 *     build/report compare [--points] A B     exit status 1: B is slower somewhere
 *     build/report constants PRESET [FORM]    a machine's constants, and what each was taken from
 *     build/report claims-matrix FORM FOLDER...   every claim on every device
 *     build/report ratios A B FORM            best against best
 *     build/report fill DOCUMENT              a document, its numbers and tables computed anew
 *     build/report list [FORM]                the figures, and what makes them
 *     build/report preset NAME FILE           a machine's description from a GPU's micro-components
 *     build/report --version
 *     build/report study WORK FOLDER          a study from the runs in WORK (scripts/memory-
 *       machine-study)
 */
#include "base/failure.h"
#include "base/version.h"
#include "report/claims.h"
#include "report/compare.h"
#include "report/figures.h"
#include "report/fill.h"
#include "report/preset.h"
#include "report/study.h"
#include "report/tables.h"

#include <string.h>

static void usage(void)
{
    fail(EXIT_BAD_INPUT, "usage: report TABLE FOLDER [FORM] | figures FOLDER... | compare [--points] A B | "
                         "constants PRESET [FORM] | claims-matrix FORM FOLDER... | "
                         "list [FORM] | fill DOCUMENT | preset NAME FILE | study WORK FOLDER | --version");
}

static int compare(int count, char **arguments)
{
    bool points = count && strcmp(arguments[0], "--points") == 0;
    if (count != 2 + points || !*arguments[points] || !*arguments[points + 1])
        fail(EXIT_BAD_INPUT, "usage: make compare A=results/DEVICE B=results/DEVICE");
    bool slower = compare_folders(arguments[points], arguments[points + 1], points, stdout);
    if (can_draw())
        draw_comparison(arguments[points], arguments[points + 1]);
    return slower;
}

static const struct tables *find_tables(const char *name)
{
    for (size_t i = 0; i < all_tables_count; i++)
        if (strcmp(all_tables[i].name, name) == 0)
            return &all_tables[i];
    return NULL;
}

/* What goes into documents, too; false: it is none of that. */
static bool print_tables(int count, char **words, FILE *file)
{
    const struct tables *tables = find_tables(words[0]);
    if (tables && (count == 2 || count == 3)) {
        check_folder(words[1]);
        tables->print(words[1], count == 3 ? form_of(words[2]) : FORM_TEXT, file);
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
    int slower = 0;
    if (print_tables(argc - 1, argv + 1, stdout)) {
    } else if (strcmp(what, "figures") == 0 && argc > 2) {
        for (int i = 2; i < argc; i++)
            draw_folder(argv[i]);
        write_overview(argv + 2, (size_t)argc - 2);
    } else if (strcmp(what, "compare") == 0) {
        slower = compare(argc - 2, argv + 2);
    } else if (strcmp(what, "fill") == 0 && argc == 3) {
        fill_document(argv[2], print_in_document, stdout);
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
    return slower;
}
