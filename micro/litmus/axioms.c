/*
 * What does PTX's memory model say of a litmus test, and why?
 *
 *     build/host/axioms FILE...     an execution with the outcome of the test's condition, and what makes PTX
 *                                   allow or forbid it
 */
#include "base/failure.h"
#include "base/memory.h"
#include "base/version.h"
#include "micro/litmus/ptx_execution.h"

#include <getopt.h>
#include <stdlib.h>

static void print_help(void)
{
    puts(
        "usage: axioms FILE...\n"
        "Does PTX's memory model allow the outcome of a litmus test, and why?\n\n"
        "Prints for each test, in Dat3M's format, an execution with this outcome (for \"forall\", with\n"
        "another one): each thread's accesses with their values, the write that each read reads from, and\n"
        "the order that is absent, or the axiom that forbids the execution.\n\n"
        "  --help, --version\n\n"
        "Exit status: 0 all files were judged, 2 a file or the command line is wrong, 3 a test is too long.");
}

/* Reads the litmus test of a file. Its text may have 64 KiB. */
static void read_test(const char *path, struct litmus *test)
{
    enum { MOST = 1 << 16 };
    FILE *file = fopen(path, "rb");
    char *text = allocate(MOST + 1);
    size_t length = file ? fread(text, 1, MOST + 1, file) : 0;
    if (!file || ferror(file))
        fail(EXIT_BAD_INPUT, "%s cannot be read", path);
    if (length > MOST)
        fail(EXIT_BAD_INPUT, "%s is longer than 64 KiB", path);
    text[length] = '\0';
    const char *wrong = litmus_parse(text, test);
    if (wrong)
        fail(EXIT_BAD_INPUT, "%s: %s", path, wrong);
    fclose(file);
    free(text);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {NULL, 0, NULL, 0}};
    set_program_name("axioms");
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h')
            print_help();
        else if (option == 'v')
            print_version("axioms");
        else
            fail(EXIT_BAD_INPUT, "%s is no option; see --help", argv[optind - 1]);
        finish_output();
        return EXIT_VERIFIED;
    }
    if (optind == argc)
        fail(EXIT_BAD_INPUT, "no file is given; see --help");
    for (int i = optind; i < argc; i++) {
        static struct litmus test;
        read_test(argv[i], &test);
        if (i > optind)
            putchar('\n');
        if (!ptx_show_execution(&test, stdout))
            fail(EXIT_CANNOT, "%s: too long for PTX's axioms", argv[i]);
    }
    finish_output();
    return EXIT_VERIFIED;
}
