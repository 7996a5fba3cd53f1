/*
 * The tool gpusync-check, with which scripts/gpusync-check links the user's program. It runs the program
 * again and again, each time under another schedule and another memory mode, and prints what went wrong in
 * any of the runs.
 */
#include "base/failure.h"
#include "base/file.h"
#include "check/checked_program.h"
#include "check/explore/findings.h"
#include "check/explore/hang.h"
#include "check/explore/sarif.h"
#include "check/explore/schedules.h"
#include "check/explore/suppressions.h"

#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

struct options {
    struct plan plan;
    bool hang;
    struct limits limits;
    const char *file; /* the CUDA file, for messages */
    /* path of the file to which the findings are written; NULL means that none is written */
    const char *json;
    const char *sarif;        /* path of the file to which the findings are written as SARIF, or NULL */
    const char *sources;      /* path of the list of the program's files (check/sources.h), or NULL */
    const char *suppressions; /* path of a file of suppressions, or NULL */
    bool as_compilers;        /* does a message begin with "FILE:LINE: error:" (--format gcc)? */
};

static double number(const char *option, const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value <= most))
        fail(EXIT_BAD_INPUT, "--%s needs a number from %g to %.12g, not %s", option, least, most, text);
    return value;
}

/* Reads the value of --format. */
static bool is_gcc(const char *text)
{
    if (strcmp(text, "gcc") != 0 && strcmp(text, "text") != 0)
        fail(EXIT_BAD_INPUT, "--format is text or gcc, not %s", text);
    return strcmp(text, "gcc") == 0;
}

static void read_options(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"runs", required_argument, NULL, 'r'},         {"only", required_argument, NULL, 'o'},
        {"seconds", required_argument, NULL, 's'},      {"timeout", required_argument, NULL, 't'},
        {"memory-limit", required_argument, NULL, 'm'}, {"json", required_argument, NULL, 'j'},
        {"file", required_argument, NULL, 'f'},         {"hang", no_argument, NULL, 'h'},
        {"exhaustive", no_argument, NULL, 'x'},         {"sarif", required_argument, NULL, 'S'},
        {"sources", required_argument, NULL, 'l'},      {"suppressions", required_argument, NULL, 'u'},
        {"format", required_argument, NULL, 'F'},       {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "+", known, NULL)) != -1)
        switch (option) {
        case 'r':
            o->plan.runs = (unsigned)number("runs", optarg, 1, 1e9);
            break;
        case 'o':
            o->plan.only = (unsigned)number("only", optarg, 1, 1e9);
            break;
        case 's':
            o->plan.seconds = number("seconds", optarg, 0.1, 1e6);
            break;
        case 't':
            o->limits.seconds_of_run = number("timeout", optarg, 0.1, 1e6);
            break;
        case 'm':
            o->limits.memory_bytes = (size_t)(number("memory-limit", optarg, 64, 1 << 20) * 1048576);
            break;
        case 'j':
            o->json = optarg;
            break;
        case 'S':
            o->sarif = optarg;
            break;
        case 'l':
            o->sources = optarg;
            break;
        case 'u':
            o->suppressions = optarg;
            break;
        case 'F':
            o->as_compilers = is_gcc(optarg);
            break;
        case 'f':
            o->file = optarg;
            break;
        case 'h':
            o->hang = true;
            break;
        case 'x':
            o->plan.exhaustive = true;
            break;
        default:
            exit(EXIT_BAD_INPUT);
        }
}

void checked_program_tool(int argc, char **argv)
{
    struct options o = {.plan = {.seconds = 60}, .limits = {20, (size_t)2 << 30}, .file = "the program"};
    set_program_name("gpusync-check");
    read_options(&o, argc, argv);
    if (o.json)
        file_check_target("json", o.json, true, NULL);
    if (o.sarif)
        file_check_target("sarif", o.sarif, true, NULL);
    if (o.sources)
        sources_read(o.sources);
    suppressions_read_comments();
    if (o.suppressions)
        suppressions_read(o.suppressions);
    struct findings findings = {.file = o.file, .limits = o.limits};
    /* leaves only the program's arguments, which come after the options */
    argc -= optind - 1;
    argv[optind - 1] = argv[0];
    argv += optind - 1;
    machine_mark_lines(true);
    /* turns on the collection of data races; runs_wait() adds the races of each run */
    machine_collect_races(true, true);
    schedules_run(&o.plan, o.limits, &findings, argc, argv);
    if (o.hang)
        findings.hang = hang_study(o.limits, o.plan.seconds, argc, argv);
    findings_collect(&findings);
    findings_print(&findings, o.as_compilers, stdout);
    if (o.json)
        findings_write(&findings, o.json);
    if (o.sarif)
        sarif_write(o.sarif);
    finish_output();
    /* exit() would call the destructors of the checked program, whose constructors were not called */
    _exit(findings_status(&findings));
}
