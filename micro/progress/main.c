/*
 * Does a small program end, whichever way its threads are scheduled, under each of five models of progress?
 *
 *     build/host/progress FILE|FOLDER...              prints the verdict of each model
 *     build/host/progress --show FILE                 shows an execution that does not end
 *     build/host/progress --expected TABLE            compares with a table of verdicts
 *     build/host/progress --model OBE FILE|FOLDER...  ends with status 4 if a program need not end under it
 */
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"
#include "micro/progress/decide.h"
#include "micro/progress/program.h"
#include "micro/progress/show.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- expected ---- */

/*
 * Reads a table of verdicts from another source, with which the verdicts of this program are compared. Values
 * are separated by commas, and the first line names the columns. The column `file` has paths relative to the
 * table's folder. A column named after a model has 1 if every execution ends under the model, 0 if not, and
 * nothing if that is not known. Other columns are comments.
 */

struct expected_program {
    struct progress_program *program;
    /* set of the models under which the program ends according to the table, one bit for each model */
    unsigned ends;
    unsigned known; /* set of the models for which the table has a verdict */
};

struct expected {
    struct expected_program *items;
    int count;
};

enum { MOST_COLUMNS = 16, OF_FILE = -1, OF_NOTHING = -2 };

struct columns {
    /* for each column of the table: the number of the model whose verdicts the column has, OF_FILE for the
     * column `file`, or OF_NOTHING for a comment */
    int of[MOST_COLUMNS];
    int count;
};

static struct columns read_columns(const struct lines *lines)
{
    struct columns columns = {.count = 0};
    int files = 0, models = 0;
    for (char *rest = lines->text, *cell; (cell = strsep(&rest, ",")); columns.count++) {
        if (columns.count == MOST_COLUMNS)
            fail(EXIT_BAD_INPUT, "%s:1: more than %d columns", lines->path, MOST_COLUMNS);
        int model = (int)progress_model_of(cell);
        bool is_file = strcmp(cell, "file") == 0, is_model = model < PROGRESS_MODELS;
        files += is_file;
        models += is_model;
        columns.of[columns.count] = is_file ? OF_FILE : is_model ? model : OF_NOTHING;
    }
    if (files != 1 || !models)
        fail(EXIT_BAD_INPUT, "%s:1: the columns must be file and models (Fair, HSA, OBE, LOBE, HSA_OBE)",
             lines->path);
    return columns;
}

/* Reads the program `file`, a path relative to the table's folder. */
static struct progress_program *read_beside(const char *table, const char *file)
{
    char path[4096];
    const char *slash = strrchr(table, '/');
    int folder = slash ? (int)(slash + 1 - table) : 0;
    if ((size_t)snprintf(path, sizeof path, "%.*s%s", folder, table, file) >= sizeof path)
        fail(EXIT_BAD_INPUT, "the name of a file is too long: %.40s...", file);
    return progress_read(path);
}

static struct expected_program read_row(const struct lines *lines, const struct columns *columns)
{
    struct expected_program row = {.program = NULL};
    int column = 0;
    for (char *rest = lines->text, *cell; (cell = strsep(&rest, ",")); column++) {
        int of = column < columns->count ? columns->of[column] : OF_NOTHING;
        if (of == OF_FILE)
            row.program = read_beside(lines->path, cell);
        if (of < 0 || !*cell)
            continue;
        if (strcmp(cell, "0") != 0 && strcmp(cell, "1") != 0)
            fail(EXIT_BAD_INPUT, "%s:%zu: a verdict must be 0, 1 or empty, not \"%.40s\"", lines->path,
                 lines->number, cell);
        row.known |= 1u << of;
        row.ends |= *cell == '1' ? 1u << of : 0;
    }
    if (column != columns->count || !row.program)
        fail(EXIT_BAD_INPUT, "%s:%zu: the line has %d columns and the first line %d", lines->path,
             lines->number, column, columns->count);
    return row;
}

/* Reads the table and all of its programs; exits with EXIT_BAD_INPUT if one of them is wrong. */
static struct expected expected_read(const char *path)
{
    struct expected expected = {NULL, 0};
    struct lines lines = lines_open(path);
    if (!lines_next(&lines))
        fail(EXIT_BAD_INPUT, "%s is empty", path);
    struct columns columns = read_columns(&lines);
    while (lines_next(&lines)) {
        if (!lines.length)
            continue;
        expected.items = with_room(expected.items, sizeof *expected.items, (size_t)expected.count, 1);
        expected.items[expected.count++] = read_row(&lines, &columns);
    }
    lines_close(&lines);
    if (!expected.count)
        fail(EXIT_BAD_INPUT, "%s names no file", path);
    return expected;
}

static void expected_forget(struct expected *expected)
{
    for (int i = 0; i < expected->count; i++)
        free(expected->items[i].program);
    free(expected->items);
}

/* ---- main ---- */

struct order {
    const char *show, *expected;
    enum progress_model model; /* the model named by --model, or PROGRESS_MODELS if there is no --model */
};

static void print_help(void)
{
    puts("usage: progress [--model NAME] FILE|FOLDER... | --show FILE [--model NAME] | --expected TABLE\n"
         "Does a small concurrent program end, whichever way its threads are scheduled?\n\n"
         "  --model NAME      Fair, HSA, OBE, LOBE or HSA_OBE: exit status 4 if a program need not end under "
         "it;\n"
         "                    with --show: shows an execution under this model\n"
         "  --show FILE       an execution that does not end: who goes round, and who starves\n"
         "  --expected TABLE  compares with the verdicts of a table (file,Fair,HSA,...: 1 ends, 0 does not)\n"
         "  --help, --version\n\n"
         "Exit status: 0 all is well, 1 a verdict differs from the table, 2 a file or the command line is "
         "wrong,\n"
         "3 a program has too many states, 4 a program need not end under --model.");
}

/* ---- verdicts ---- */

/* Prints the weakest model under which the program ends, or two if neither is weaker than the other. */
static void print_weakest(unsigned ends)
{
    /* for each model, the weaker models: a thread with guaranteed progress in such a model has it in this
     * model, too */
    static const unsigned weaker[PROGRESS_MODELS] = {
        [MODEL_HSA_OBE] = 1u << MODEL_HSA | 1u << MODEL_OBE,
        [MODEL_LOBE] = 1u << MODEL_HSA | 1u << MODEL_OBE | 1u << MODEL_HSA_OBE,
        [MODEL_FAIR] = 1u << MODEL_HSA | 1u << MODEL_OBE | 1u << MODEL_HSA_OBE | 1u << MODEL_LOBE};
    const char *separator = "";
    for (int m = 0; m < PROGRESS_MODELS; m++)
        if (ends & 1u << m && !(ends & weaker[m])) {
            printf("%s%s", separator, progress_model_names[m]);
            separator = " or ";
        }
    puts(*separator ? "" : "none");
}

static void print_verdicts(const struct progress_program *program, unsigned ends, int width)
{
    printf("%-*s", width, program->path);
    for (int m = 0; m < PROGRESS_MODELS; m++)
        printf("  %-7s", ends & 1u << m ? "ends" : "-");
    printf("  ");
    print_weakest(ends);
}

static int judge(struct progress_program **programs, unsigned count, enum progress_model model)
{
    int width = 4, status = EXIT_VERIFIED;
    for (unsigned i = 0; i < count; i++)
        width = (int)strlen(programs[i]->path) > width ? (int)strlen(programs[i]->path) : width;
    printf("%-*s", width, "file");
    for (int m = 0; m < PROGRESS_MODELS; m++)
        printf("  %-7s", progress_model_names[m]);
    puts("  weakest under which it ends");
    for (unsigned i = 0; i < count; i++) {
        unsigned ends = progress_verdicts(programs[i]);
        print_verdicts(programs[i], ends, width);
        if (model < PROGRESS_MODELS && !(ends & 1u << model))
            status = EXIT_DEADLOCK;
    }
    return status;
}

/* ---- the tasks of this program: to judge files, to show an execution, to compare verdicts ---- */

static int judge_arguments(char **paths, enum progress_model model)
{
    struct progress_program **programs = NULL;
    unsigned count = 0;
    for (; *paths; paths++) {
        unsigned more;
        char **files = progress_files(*paths, &more);
        programs = with_room(programs, sizeof *programs, count, more);
        for (unsigned i = 0; i < more; i++) {
            programs[count++] = progress_read(files[i]);
            free(files[i]);
        }
        free(files);
    }
    int status = judge(programs, count, model);
    for (unsigned i = 0; i < count; i++)
        free(programs[i]);
    free(programs);
    return status;
}

/* Shows an execution of the program that does not end under the model. If no model is given, it shows one for
 * the strongest model under which not every execution ends, since that is the clearest evidence. */
static int show(const char *path, enum progress_model model)
{
    static const enum progress_model strongest_first[] = {MODEL_FAIR, MODEL_LOBE, MODEL_HSA_OBE, MODEL_OBE,
                                                          MODEL_HSA};
    struct progress_program *program = progress_read(path);
    unsigned ends = progress_verdicts(program);
    enum progress_model chosen = model < PROGRESS_MODELS ? model : MODEL_FAIR;
    for (int i = PROGRESS_MODELS - 1; i >= 0 && model == PROGRESS_MODELS; i--)
        if (!(ends & 1u << strongest_first[i]))
            chosen = strongest_first[i];
    progress_show(program, chosen);
    free(program);
    return model < PROGRESS_MODELS && !(ends & 1u << model) ? EXIT_DEADLOCK : EXIT_VERIFIED;
}

static int compare(const char *path)
{
    struct expected expected = expected_read(path);
    unsigned all = 0, equal = 0;
    for (int i = 0; i < expected.count; i++) {
        const struct expected_program *e = &expected.items[i];
        unsigned ends = progress_verdicts(e->program);
        for (int m = 0; m < PROGRESS_MODELS; m++) {
            bool is_equal = !((ends ^ e->ends) & 1u << m);
            if (!(e->known & 1u << m))
                continue;
            all++;
            equal += is_equal;
            if (!is_equal)
                printf("differs: %s: under %s %s\n", e->program->path, progress_model_names[m],
                       ends & 1u << m ? "every execution ends, and the table says no"
                                      : "an execution does not end, and the table says that all do");
        }
    }
    printf("%u of %u verdicts equal, of %d programs\n", equal, all, expected.count);
    expected_forget(&expected);
    return equal == all ? EXIT_VERIFIED : EXIT_WRONG_RESULT;
}

/* ---- options of the command line ---- */

static enum progress_model chosen_model(const char *name)
{
    enum progress_model model = progress_model_of(name);
    if (model == PROGRESS_MODELS)
        fail(EXIT_BAD_INPUT, "--model must be one of Fair,HSA,OBE,LOBE,HSA_OBE, not \"%s\"", name);
    return model;
}

static struct order parse(int argc, char **argv)
{
    static const struct option options[] = {
        {"show", required_argument, NULL, 's'},  {"expected", required_argument, NULL, 'e'},
        {"model", required_argument, NULL, 'm'}, {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},     {NULL, 0, NULL, 0}};
    struct order order = {NULL, NULL, PROGRESS_MODELS};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 's':
            order.show = optarg;
            break;
        case 'e':
            order.expected = optarg;
            break;
        case 'm':
            order.model = chosen_model(optarg);
            break;
        case 'h':
            print_help();
            finish_output();
            exit(EXIT_VERIFIED);
        case 'v':
            print_version("progress");
            finish_output();
            exit(EXIT_VERIFIED);
        default:
            fail(EXIT_BAD_INPUT, "%s is no option, or lacks its value; see --help", argv[optind - 1]);
        }
    }
    int given = (order.show != NULL) + (order.expected != NULL) + (optind < argc);
    if (given != 1)
        fail(EXIT_BAD_INPUT, "%s; see --help",
             given ? "files, --show and --expected exclude each other" : "which program?");
    if (order.expected && order.model < PROGRESS_MODELS)
        fail(EXIT_BAD_INPUT, "--expected compares all models; --model has no use there");
    return order;
}

int main(int argc, char **argv)
{
    set_program_name("progress");
    struct order order = parse(argc, argv);
    int status = order.show       ? show(order.show, order.model)
                 : order.expected ? compare(order.expected)
                                  : judge_arguments(argv + optind, order.model);
    finish_output();
    return status;
}
