/*
 * Reads results and prints tables beside the papers' numbers; draws figures and pages; compares devices.
 * `build/report help` lists the commands: the table `commands` below and the table in
 * report/papers/commands.c.
 */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"
#include "report/claims.h"
#include "report/compare.h"
#include "report/devices.h"
#include "report/documents.h"
#include "report/draw.h"
#include "report/figures.h"
#include "report/formula.h"
#include "report/gnuplot.h"
#include "report/page.h"
#include "report/preset.h"
#include "report/tables.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_and_delete(cJSON *json, FILE *file)
{
    char *text = cJSON_Print(json);
    fprintf(file, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(json);
    return EXIT_VERIFIED;
}

/* ---- the commands ---- */

/* The command that draws the figures and the page of each folder that has results with a figure. The last
 * line that it prints says which page to open. */
static int run_figures(struct arguments *a, FILE *file)
{
    size_t left_out = 0, without = 0, pages = 0;
    const char *page = "plots";
    for (int i = 0; i < a->count; i++) {
        struct drawing drawing = draw_folder(a->words[i]);
        if (drawing.count || drawing.left_out) {
            write_page(&drawing);
            page = pages++ ? "plots" : drawing.plots;
        } else {
            fprintf(stderr, "%s: %s holds no result that has a figure\n", program_name(), a->words[i]);
        }
        left_out += drawing.left_out;
        without += drawing.without_drawing;
        free(drawing.drawn);
    }
    if (!pages)
        return EXIT_BAD_INPUT;
    write_overview();
    if (left_out)
        fprintf(stderr, "report: %zu figures were left out\n", left_out);
    if (without)
        fprintf(
            stderr,
            "%s: no gnuplot is here, so %zu figures are not drawn; the page has their data and all tables\n",
            program_name(), without);
    fprintf(file, "open %s/index.html\n", page);
    return left_out || without ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

/* Exits if two devices are to be compared that are one. */
static void check_different(const struct arguments *a)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < i; k++)
            if (is_same_file(a->words[i], a->words[k]))
                fail(EXIT_BAD_INPUT,
                     a->count == 2 ? "both are %s, and nothing differs from itself" : "%s is named twice",
                     a->words[i]);
}

static int run_compare(struct arguments *a, FILE *file)
{
    check_different(a);
    if (a->count > 2)
        return compare_fleet(a->words, (size_t)a->count, a, file);
    const char *first = a->words[0], *b = a->words[a->count - 1];
    const char *other;
    if (a->count == 1 && is_reference(b) && (other = last_folder()))
        b = other;
    else if (a->count == 1)
        first = nearest_reference(b);
    size_t slower = compare_folders(first, b, a, file), failed = 0;
    if (a->form == FORM_TEXT && can_draw()) {
        failed = draw_comparison(first, b);
        write_overview();
    }
    return failed || slower ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

static int run_cards(struct arguments *a, FILE *file)
{
    return print_and_delete(cards_describe(a->words, a->count), file);
}

static int run_claims(struct arguments *a, FILE *file)
{
    (a->all ? print_all_claims : print_totals_of_claims)(a->words, (size_t)a->count, a->form, file);
    return EXIT_VERIFIED;
}

static int run_claims_matrix(struct arguments *a, FILE *file)
{
    print_claims_matrix(a->words, (size_t)a->count, a->form, file);
    return EXIT_VERIFIED;
}

static int run_ratios(struct arguments *a, FILE *file)
{
    check_different(a);
    print_best_ratios(a->words[0], a->words[1], a->form, file);
    return EXIT_VERIFIED;
}

static void print_in_document(int count, char **words, FILE *file);

static int run_documents(struct arguments *a, FILE *file)
{
    (void)file;
    size_t differ = make_documents(print_in_document, a->check);
    return a->check && differ ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

static int run_robustness(struct arguments *a, FILE *file)
{
    device_folders(1, a->words);
    return print_and_delete(robustness_describe(a->words[0], a->words[1]), file);
}

static int run_version(struct arguments *a, FILE *file)
{
    (void)a, (void)file;
    print_version("report");
    return EXIT_VERIFIED;
}

static int run_help(struct arguments *a, FILE *file);

#define PRINTED OPTION_FORMAT
static const struct command commands[] = {
    {"list", "", 0, 0, FORM_LAST, PRINTED, print_device_list,
     "Prints the devices that have results, with the short names that commands take.", NULL},
    {"points", "DEVICE [RESULT...]", 1, ANY_NUMBER, PLAIN, PRINTED + OPTION_UNIT, print_points,
     "Prints every measured point of a device, for other programs. Columns: result, and after @ its sweep\n"
     "(micro-barrier@cost-512 has the barriers of gpusync cost with 512 threads, micro-barrier@threads-512\n"
     "the parts of a lock-based one); variant, blocks, threads, size; the number of samples of time, their\n"
     "median, with its 95 % interval from low to high, and its unit; operations, such as rounds with a\n"
     "barrier, in this time, of which launches and graphs make fewer; each_time, which is time / operations\n"
     "(of micro-barrier a round with its computation, the variant none; the view barrier of gpusync sql has\n"
     "both, without it as barrier_time); ordered: does the variant order memory; verified: were all answers\n"
     "right?",
     NULL},
    {"compare", "[A] B | DEVICE...", 1, ANY_NUMBER, DEVICES,
     PRINTED + OPTION_UNIT + OPTION_ALL + OPTION_POINTS + OPTION_ONLY + OPTION_FAIL_SLOWER, run_compare,
     "Compares B with A. A committed device alone is A, and B is what was measured here last;\n"
     "any other device alone is B, and A is the committed one that is nearest to it.\n"
     "Three devices and more are the cards of a fleet: their spread is printed, and cards outside of\n"
     "it are named. A card is outside in a number if it is more than 2 % and more than 5 scaled\n"
     "median absolute deviations from the median of its model's cards. It is outside as a whole if\n"
     "this is so of the median of its ratios to the medians, or in more than a twentieth of its\n"
     "numbers; --fail-slower judges that median ratio.",
     "a ratio is beyond --fail-slower, or a figure could not be drawn"},
    {"claims", "DEVICE...", 1, ANY_NUMBER, DEVICES + FORM_LAST, PRINTED + OPTION_ALL, run_claims,
     "Says how many of the papers' claims hold on the devices, by paper; with --all, each claim.", NULL},
    {"claims-matrix", "DEVICE...", 1, ANY_NUMBER, DEVICES + FORM_FIRST + DEVELOPERS, PRINTED,
     run_claims_matrix, "Prints every claim of the papers beside its verdict on every device.", NULL},
    {"figures", "DEVICE...", 1, ANY_NUMBER, DEVICES, 0, run_figures,
     "Draws the figures and the page of each folder into plots/.", "a figure was left out"},
    {"list-figures", "", 0, 0, FORM_LAST, PRINTED, print_figures,
     "Prints the figures, and the commands that measure what they show.", NULL},
    {"ratios", "A B", 2, 2, DEVICES + FORM_LAST + DEVELOPERS, PRINTED, run_ratios,
     "Compares the best variants of two folders, in one table.", NULL},
    {"constants", "PRESET", 1, 1, FORM_LAST, PRINTED, print_constants,
     "Prints a machine's constants, and the source of each.", NULL},
    {"documents", "", 0, 0, DEVELOPERS, OPTION_CHECK, run_documents,
     "Makes the documents from docs/templates/.", "with --check, a document differs"},
    {"cards", "A B...", 2, ANY_NUMBER, DEVICES + DEVELOPERS, 0, run_cards,
     "Prints by how much cards of one model differ, for A/cards.json.", NULL},
    {"preset", "NAME FILE", 2, 2, DEVELOPERS, 0, print_preset,
     "Prints a machine's description, from a GPU's micro-components.", NULL},
    {"vary", "PRESET NUMBER", 2, 2, DEVELOPERS, 0, print_varied,
     "Prints a machine's description with its constants drawn at random (scripts/robustness).", NULL},
    {"robustness", "FOLDER WORK", 2, 2, DEVELOPERS, 0, run_robustness,
     "Prints in how many draws in WORK each claim has the folder's verdict.", NULL},
    {"help", "[COMMAND | formulas | all]", 0, 1, PLAIN, 0, run_help,
     "Prints this list, a command's arguments, or the functions of formulas.", NULL},
    {"--version", "", 0, 0, PLAIN, 0, run_version, "Prints the version and the revision.", NULL},
};
#define COMMANDS (sizeof commands / sizeof *commands)

/* ---- tables ---- */

/* The arguments of a command that prints a table, for --help. */
static const char table_arguments[] = "DEVICE";

/* Returns the options of the command that prints this table. */
static unsigned options_of_table(const struct tables *table)
{
    return OPTION_FORMAT + (strcmp(table->name, "micro") == 0 ? OPTION_UNIT : 0);
}

static int run_table(const struct tables *table, struct arguments *a, FILE *file)
{
    arguments_take_form(a, 1);
    if (a->count != 1)
        return WRONG_USE;
    const char *folder = device_folder(a->words[0]);
    check_folder(folder);
    unit_choose(a->in_unit ? a->unit : UNIT_AS_WRITTEN);
    print_tables_of(table, folder, a->form, file);
    unit_choose(UNIT_AS_WRITTEN);
    return EXIT_VERIFIED;
}

/* Runs a command with the words after its name, and returns its status. Words that are forms are taken out of
 * them first. Returns WRONG_USE if the command does not take this number of other words. */
static int run_command(const struct command *command, struct arguments *a, FILE *file)
{
    if (command->words & FORM_FIRST && a->count && is_form(a->words[0]))
        arguments_take_form(a, 0);
    if (command->words & FORM_SECOND && a->count == 2 && is_form(a->words[1]))
        arguments_take_form(a, 1);
    if (command->words & FORM_LAST && command->most == ANY_NUMBER)
        arguments_take_last_form(a);
    else if (command->words & FORM_LAST)
        arguments_take_form(a, command->most);
    if (a->count < command->least || (command->most != ANY_NUMBER && a->count > command->most))
        return WRONG_USE;
    if (command->words & DEVICES)
        device_folders(a->count, a->words);
    return command->run(a, file);
}

/* ---- finding a command of build/report, and printing its help ---- */

/* Returns command number `i` of all, counted through both lists, or NULL after the last one. */
static const struct command *command_at(size_t i)
{
    return i < paper_commands_count              ? &paper_commands[i]
           : i < paper_commands_count + COMMANDS ? &commands[i - paper_commands_count]
                                                 : NULL;
}

static const struct command *command_of(const char *name)
{
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)); i++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static void __attribute__((noreturn)) refuse_command(const char *name)
{
    size_t tables_count, count = 0;
    const struct tables *tables = all_tables(&tables_count);
    char meant[NEAREST_BYTES];
    const char **names = allocate((COMMANDS + paper_commands_count + tables_count) * sizeof *names);
    for (size_t i = 0; i < COMMANDS + paper_commands_count; i++)
        names[count++] = command_at((i + paper_commands_count) % (COMMANDS + paper_commands_count))->name;
    for (size_t i = 0; i < tables_count; i++)
        if (!command_of(tables[i].name))
            names[count++] = tables[i].name;
    fail(EXIT_BAD_INPUT, "there is no command \"%s\"%s (%s help all lists them)", name,
         did_you_mean(meant, "", name, names, count), program_name());
}

static void __attribute__((noreturn)) refuse_arguments(const char *name, const char *arguments)
{
    fail(EXIT_BAD_INPUT, "usage: %s %s%s%s (%s %s --help says more)", program_name(), name,
         *arguments ? " " : "", arguments, program_name(), name);
}

static void print_help_of(const char *name, const char *arguments, unsigned options, const char *help,
                          const char *fails, FILE *file)
{
    fprintf(file, "usage: %s %s%s%s%s\n\n%s\n%s", program_name(), name, *arguments ? " " : "", arguments,
            options ? " [OPTION...]" : "", help, options ? "\n" : "");
    arguments_help(options, file);
    fprintf(file,
            "\nExit status: 0 printed or made;%s2 an argument is wrong, or a result is absent or broken.\n",
            fails ? made(" 1 %s;\n", fails) : " ");
}

static int help_of(const char *name, FILE *file)
{
    const struct command *command = command_of(name);
    const struct tables *table = command ? NULL : table_of_name(name);
    if (!command && !table)
        refuse_command(name);
    if (command)
        print_help_of(name, command->arguments, command->options, command->help, command->fails, file);
    else
        print_help_of(name, table_arguments, options_of_table(table),
                      made("Prints the table \"%s\".", table->title), NULL, file);
    return EXIT_VERIFIED;
}

static void print_summary_of(const struct command *command, FILE *file)
{
    int used = fprintf(file, "  %s %s", command->name, command->arguments);
    size_t length = strcspn(command->help, ";:\n");
    const char *end = strstr(command->help, ". ");
    if (end && end < command->help + length)
        length = (size_t)(end - command->help);
    else if (!command->help[length])
        length--; /* the full stop */
    fprintf(file, "%*s%c%.*s\n", used < 34 ? 34 - used : 2, "", tolower(*command->help), (int)length - 1,
            command->help + 1);
}

/* Prints the commands and the tables. With `all`, includes commands that are marked for developers, and
 * tables that no device's page shows. */
static int print_list(bool all, FILE *file)
{
    size_t count;
    const struct tables *tables = all_tables(&count);
    fprintf(file,
            "usage: report COMMAND ARGUMENT...\n\nPrints what was measured and predicted. "
            "`report COMMAND --help` says more of a command%s.\n\ncommands:\n",
            all ? "" : ";\n`report help all` also lists what developers use");
    for (size_t i = 0; i < COMMANDS + paper_commands_count; i++)
        if (all || !(command_at(i)->words & DEVELOPERS))
            print_summary_of(command_at(i), file);
    fputs("  TABLE DEVICE                    one of these tables:\n\n", file);
    for (size_t i = 0; i < count; i++)
        if (!command_of(tables[i].name) && (all || *tables[i].question))
            fprintf(file, "    %-22s %s\n", tables[i].name, tables[i].title);
    fputs("\nA DEVICE is a folder of results such as results/machine-gtx280, or a short name such as h200 "
          "(list "
          "prints them).\nWhat is printed is a table for a reader; --format csv, markdown, json or html "
          "gives another "
          "form.\n\nExit status: 0 printed or made; 1 a comparison or a check failed (--help of the command "
          "says "
          "which);\n2 an argument is wrong, or a result is absent or broken.\n",
          file);
    return EXIT_VERIFIED;
}

static int run_help(struct arguments *a, FILE *file)
{
    bool all = a->count && strcmp(a->words[0], "all") == 0;
    if (a->count == 0 || all)
        return print_list(all, file);
    if (strcmp(a->words[0], "formulas") != 0)
        return help_of(a->words[0], file);
    print_formula_help(file);
    return EXIT_VERIFIED;
}

/* Returns whether one of the words asks for help. */
static bool asks_for_help(int count, char **words)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return true;
    return false;
}

/* Runs the command that the first word names, or prints the table of that name. */
static int run(int count, char **words, FILE *file)
{
    const char *name = words[0];
    const struct command *command = command_of(name);
    const struct tables *table = command ? NULL : table_of_name(name);
    if (!command && !table)
        refuse_command(name);
    if (asks_for_help(count - 1, words + 1))
        return help_of(name, file);
    struct arguments arguments =
        arguments_read(name, command ? command->options : options_of_table(table), count - 1, words + 1);
    int status = command ? run_command(command, &arguments, file) : run_table(table, &arguments, file);
    if (status == WRONG_USE)
        refuse_arguments(name, command ? command->arguments : table_arguments);
    table_finish(file);
    return status;
}

static void print_in_document(int count, char **words, FILE *file)
{
    run(count, words, file);
}

/* Removes slashes from the end of an argument, which may be the name of a folder. */
static void drop_slashes(char *argument)
{
    for (size_t length = strlen(argument); length > 1 && argument[length - 1] == '/';)
        argument[--length] = '\0';
}

int main(int argc, char **argv)
{
    set_program_name(argc && strcmp(argv[0], "gpusync") == 0 ? "gpusync" : "report");
    if (argc < 2)
        fail(EXIT_BAD_INPUT, "usage: report COMMAND ARGUMENT...; `report help` lists the commands");
    for (int i = 2; i < argc; i++)
        drop_slashes(argv[i]);
    bool asks = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    int status = asks ? print_list(false, stdout) : run(argc - 1, argv + 1, stdout);
    finish_output();
    return status;
}
