/*
 * What results say: tables beside the papers' numbers, figures, pages, comparisons.
 *
 *     build/report TABLE FOLDER [text|markdown|json|html]
 *     build/report figures FOLDER...          draws into plots/FOLDER/
 *     build/report compare [--points] A B     exit status 1: B is slower somewhere
 *     build/report claims-matrix FORM FOLDER...   every claim on every device
 *     build/report list [FORM]                the figures, and what makes them
 *     build/report preset NAME FILE           a machine's description from a GPU's micro-components
 *     build/report study WORK FOLDER          a study from the runs in WORK (scripts/memory-
 *       machine-study)
 */
#include "base/failure.h"
#include "report/claims.h"
#include "report/compare.h"
#include "report/figures.h"
#include "report/preset.h"
#include "report/study.h"
#include "report/tables.h"

#include <string.h>

static void usage(void)
{
    fail(EXIT_BAD_INPUT, "usage: report TABLE FOLDER [FORM] | figures FOLDER... | compare [--points] A B | "
                         "claims-matrix FORM FOLDER... | "
                         "list [FORM] | preset NAME FILE | study WORK FOLDER");
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

int main(int argc, char **argv)
{
    set_program_name("report");
    if (argc < 2)
        usage();
    const char *what = argv[1];
    const struct tables *tables = find_tables(what);
    if (tables && (argc == 3 || argc == 4)) {
        check_folder(argv[2]);
        tables->print(argv[2], argc == 4 ? form_of(argv[3]) : FORM_TEXT, stdout);
    } else if (strcmp(what, "figures") == 0 && argc > 2) {
        for (int i = 2; i < argc; i++)
            draw_folder(argv[i]);
    } else if (strcmp(what, "compare") == 0) {
        int slower = compare(argc - 2, argv + 2);
        finish_output();
        return slower;
    } else if (strcmp(what, "claims-matrix") == 0 && argc > 3) {
        print_claims_matrix(argv + 3, (size_t)argc - 3, form_of(argv[2]), stdout);
    } else if (strcmp(what, "list") == 0 && argc <= 3) {
        print_figures(argc == 3 ? form_of(argv[2]) : FORM_TEXT, stdout);
    } else if (strcmp(what, "preset") == 0 && argc == 4) {
        print_preset(argv[2], argv[3], stdout);
    } else if (strcmp(what, "study") == 0 && argc == 4) {
        study_collect(argv[2], argv[3]);
    } else {
        usage();
    }
    finish_output();
    return EXIT_VERIFIED;
}
