/*
 * Reads results and prints tables beside the papers' numbers; draws figures and pages; compares devices.
 * `build/report help` lists the commands, the table `commands` below and that of report/papers/commands.c.
 */
#include "base/failure.h"
#include "base/text.h"
#include "base/version.h"
#include "report/claims.h"
#include "report/command.h"
#include "report/compare.h"
#include "report/constants.h"
#include "report/describe_cards.h"
#include "report/describe_robustness.h"
#include "report/documents.h"
#include "report/draw.h"
#include "report/figure_texts.h"
#include "report/folders.h"
#include "report/formula.h"
#include "report/gnuplot.h"
#include "report/page.h"
#include "report/preset.h"
#include "report/tables.h"
#include "report/vary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the output form (text, Markdown, JSON, HTML) that the word number `place` names, or FORM_TEXT if
 * there are fewer words. */
static enum form form_at(int place, int count, char **words)
{
    return place < count ? form_of(words[place]) : FORM_TEXT;
}

static int print_and_delete(cJSON *json, FILE *file)
{
    char *text = cJSON_Print(json);
    fprintf(file, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(json);
    return EXIT_VERIFIED;
}

/* ---- the commands ---- */

/* The command that draws the figures and the page of each folder. The last line that it prints says which
 * page to open. */
static int run_figures(int count, char **folders, FILE *file)
{
    size_t left_out = 0;
    char plots[512];
    if (count < 1)
        return WRONG_USE;
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
    fprintf(file, "open %s/index.html\n", count == 1 ? plots : "plots");
    return left_out ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

static int run_compare(int count, char **words, FILE *file)
{
    bool points = count && strcmp(words[0], "--points") == 0;
    if (count != 1 + points && count != 2 + points)
        return WRONG_USE;
    const char *b = words[count - 1];
    char *nearest = count == 1 + points ? nearest_reference(b) : NULL;
    const char *a = nearest ? nearest : words[points];
    compare_folders(a, b, points, file);
    size_t failed = 0;
    if (can_draw()) {
        failed = draw_comparison(a, b);
        write_overview();
    }
    free(nearest);
    return failed ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

static int run_cards(int count, char **folders, FILE *file)
{
    return count < 2 ? WRONG_USE : print_and_delete(cards_describe(folders, count), file);
}

static int run_constants(int count, char **words, FILE *file)
{
    if (count != 1 && count != 2)
        return WRONG_USE;
    print_constants(words[0], form_at(1, count, words), file);
    return EXIT_VERIFIED;
}

static int run_claims_matrix(int count, char **words, FILE *file)
{
    if (count < 2)
        return WRONG_USE;
    print_claims_matrix(words + 1, (size_t)count - 1, form_of(words[0]), file);
    return EXIT_VERIFIED;
}

static int run_ratios(int count, char **words, FILE *file)
{
    if (count != 3)
        return WRONG_USE;
    print_best_ratios(words[0], words[1], form_of(words[2]), file);
    return EXIT_VERIFIED;
}

static int run_list(int count, char **words, FILE *file)
{
    if (count > 1)
        return WRONG_USE;
    print_figures(form_at(0, count, words), file);
    return EXIT_VERIFIED;
}

static void print_in_document(int count, char **words, FILE *file);

static int run_documents(int count, char **words, FILE *file)
{
    bool only_check = count == 1 && strcmp(words[0], "--check") == 0;
    (void)file;
    if (count != only_check)
        return WRONG_USE;
    size_t differ = make_documents(print_in_document, only_check);
    return only_check && differ ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

static int run_preset(int count, char **words, FILE *file)
{
    if (count != 2)
        return WRONG_USE;
    print_preset(words[0], words[1], file);
    return EXIT_VERIFIED;
}

static int run_vary(int count, char **words, FILE *file)
{
    long long number;
    if (count != 2 || !parse_whole(words[1], 0, 1000000, &number))
        return WRONG_USE;
    print_varied(words[0], (unsigned long long)number, file);
    return EXIT_VERIFIED;
}

static int run_robustness(int count, char **words, FILE *file)
{
    return count != 2 ? WRONG_USE : print_and_delete(robustness_describe(words[0], words[1]), file);
}

static int run_version(int count, char **words, FILE *file)
{
    (void)words;
    (void)file;
    if (count)
        return WRONG_USE;
    print_version("report");
    return EXIT_VERIFIED;
}

static int run_help(int count, char **words, FILE *file);

static const struct command commands[] = {
    {"figures", "FOLDER...", run_figures, "draws the figures and the page of each folder into plots/"},
    {"compare", "[--points] [A] B", run_compare,
     "compares two folders of results; without A, B with the committed results of the nearest device"},
    {"claims-matrix", "FORM FOLDER...", run_claims_matrix, "every claim of the papers, on every device"},
    {"ratios", "A B FORM", run_ratios, "compares the best variants of two folders"},
    {"list", "[FORM]", run_list, "the figures, and the commands that measure what they show"},
    {"constants", "PRESET [FORM]", run_constants, "a machine's constants, and the source of each"},
    {"documents", "[--check]", run_documents,
     "makes the documents from docs/templates/; with --check, only tells which differ"},
    {"cards", "A B...", run_cards, "by how much cards of one model differ, for A/cards.json"},
    {"preset", "NAME FILE", run_preset, "a machine's description, from a GPU's micro-components"},
    {"vary", "PRESET NUMBER", run_vary,
     "a machine's description with its constants drawn at random (scripts/robustness)"},
    {"robustness", "FOLDER WORK", run_robustness,
     "in how many draws in WORK each claim has the folder's verdict"},
    {"help", "[COMMAND | formulas]", run_help,
     "this list, a command's arguments, or the functions of formulas"},
    {"--version", "", run_version, "the version and the revision"},
};
#define COMMANDS (sizeof commands / sizeof *commands)

/* The arguments of a command that prints a table, for --help. */
static const char table_arguments[] = "FOLDER [FORM]";

static int run_table(const struct tables *table, int count, char **words, FILE *file)
{
    if (count != 1 && count != 2)
        return WRONG_USE;
    check_folder(words[0]);
    print_tables_of(table, words[0], form_at(1, count, words), file);
    return EXIT_VERIFIED;
}

/* ---- finding a command of build/report, and printing its help ---- */

static const struct command *command_of(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    for (size_t i = 0; i < paper_commands_count; i++)
        if (strcmp(paper_commands[i].name, name) == 0)
            return &paper_commands[i];
    return NULL;
}

static void __attribute__((noreturn)) refuse(const char *name, const char *arguments)
{
    fail(EXIT_BAD_INPUT, "usage: report %s%s%s", name, *arguments ? " " : "", arguments);
}

static void print_entry(const char *name, const char *arguments, const char *help, FILE *file)
{
    fprintf(file, "report %s%s%s\n    %s\n", name, *arguments ? " " : "", arguments, help);
}

static int print_help_of(const char *name, FILE *file)
{
    const struct command *command = command_of(name);
    const struct tables *table = command ? NULL : table_of_name(name);
    if (!command && !table)
        return WRONG_USE;
    print_entry(name, command ? command->arguments : table_arguments, command ? command->help : table->title,
                file);
    return EXIT_VERIFIED;
}

static int print_help_of_all(FILE *file)
{
    size_t count;
    const struct tables *tables = all_tables(&count);
    for (size_t i = 0; i < COMMANDS; i++)
        print_entry(commands[i].name, commands[i].arguments, commands[i].help, file);
    for (size_t i = 0; i < paper_commands_count; i++)
        print_entry(paper_commands[i].name, paper_commands[i].arguments, paper_commands[i].help, file);
    print_entry("TABLE", table_arguments, "one of the tables below", file);
    fputs("\nTables:\n", file);
    for (size_t i = 0; i < count; i++)
        if (!command_of(tables[i].name))
            fprintf(file, "  %-22s %s\n", tables[i].name, tables[i].title);
    fputs("\nFORM is text, markdown, json or html. A FOLDER of results is results/DEVICE or "
          "results/reference/DEVICE.\n",
          file);
    return EXIT_VERIFIED;
}

static int run_help(int count, char **words, FILE *file)
{
    if (count == 0)
        return print_help_of_all(file);
    if (count == 1 && strcmp(words[0], "formulas") == 0) {
        print_formula_help(file);
        return EXIT_VERIFIED;
    }
    return count == 1 ? print_help_of(words[0], file) : WRONG_USE;
}

/* Runs the command that the first word names, or prints the table of that name. */
static int run(int count, char **words, FILE *file)
{
    const struct command *command = command_of(words[0]);
    const struct tables *table = command ? NULL : table_of_name(words[0]);
    if (!command && !table)
        fail(EXIT_BAD_INPUT,
             "usage: report COMMAND ARGUMENT...; there is no command \"%s\": see `report help`", words[0]);
    if (count == 2 && strcmp(words[1], "--help") == 0)
        return print_help_of(words[0], file);
    int status =
        command ? command->run(count - 1, words + 1, file) : run_table(table, count - 1, words + 1, file);
    if (status == WRONG_USE)
        refuse(words[0], command ? command->arguments : table_arguments);
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
    set_program_name("report");
    if (argc < 2)
        fail(EXIT_BAD_INPUT, "usage: report COMMAND ARGUMENT...; `report help` lists the commands");
    results_keep();
    for (int i = 2; i < argc; i++)
        drop_slashes(argv[i]);
    bool asks = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    int status = asks ? print_help_of_all(stdout) : run(argc - 1, argv + 1, stdout);
    finish_output();
    return status;
}
