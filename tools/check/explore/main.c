/*
 * The tool gpusync-check, with which scripts/gpusync-check links the user's program. It runs the program
 * again and again, each time under another schedule and another memory mode, and prints what went wrong in
 * any of the runs.
 */
#include "base/failure.h"
#include "base/file.h"
#include "tools/check/checked_program.h"
#include "tools/check/explore/findings.h"
#include "tools/check/explore/hang.h"
#include "tools/check/explore/sandbox.h"
#include "tools/check/explore/sarif.h"
#include "tools/check/explore/schedules.h"
#include "tools/check/explore/shorten.h"
#include "tools/check/explore/suppressions.h"
#include "machine/ptx.h"

#include <stdlib.h>
#include <unistd.h>
#include <string.h>

struct options {
    struct plan plan;
    bool hang;
    struct limits limits;
    uint32_t kept[MOST_KEPT]; /* the only departures of the run that --only names, if it names some */
    const char *file;         /* the CUDA file, for messages */
    /* path of the file to which the findings are written; NULL means that none is written */
    const char *json;
    const char *sarif;        /* path of the file to which the findings are written as SARIF, or NULL */
    const char *sources;      /* path of the list of the program's files (tools/check/sources.h), or NULL */
    const char *suppressions; /* path of a file of suppressions, or NULL */
    /* the lines of griddepcontrol.wait that order nothing (ptx_set_unordered_waits()), or NULL */
    const char *unordered_waits;
    bool as_compilers; /* does a message begin with "FILE:LINE: error:" (--format gcc)? */
};

/* Reads the options, each of which is a name and a value. scripts/gpusync-check has judged the numbers before
 * it compiled the program. */
static void read_options(struct options *o, int count, char **words)
{
    double runs = 0, megabytes = 0, blocks = 0, launches = 0, of_kernel = 0, steps = 0, calls = 0, gpus = 0;
    const char *format = "text", *hang = NULL, *exhaustive = NULL, *only = "0";
    const struct {
        const char *name;
        double *number;
        const char **text;
    } known[] = {{"--runs", &runs, NULL},
                 {"--only", NULL, &only},
                 {"--seconds", &o->plan.seconds, NULL},
                 {"--timeout", &o->limits.seconds_of_run, NULL},
                 {"--memory-limit", &megabytes, NULL},
                 {"--blocks", &blocks, NULL},
                 {"--launches", &launches, NULL},
                 {"--kernel-launches", &of_kernel, NULL},
                 {"--steps", &steps, NULL},
                 {"--calls", &calls, NULL},
                 {"--gpus", &gpus, NULL},
                 {"--json", NULL, &o->json},
                 {"--sarif", NULL, &o->sarif},
                 {"--sources", NULL, &o->sources},
                 {"--unordered-waits", NULL, &o->unordered_waits},
                 {"--suppressions", NULL, &o->suppressions},
                 {"--sandbox", NULL, &o->limits.scratch},
                 {"--format", NULL, &format},
                 {"--file", NULL, &o->file},
                 {"--hang", NULL, &hang},
                 {"--exhaustive", NULL, &exhaustive}};
    for (int i = 0; i + 1 < count; i += 2)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(words[i], known[k].name) != 0)
                continue;
            else if (known[k].number)
                *known[k].number = strtod(words[i + 1], NULL);
            else
                *known[k].text = words[i + 1];
    o->plan.runs = (unsigned)runs;
    char *end;
    o->plan.only = (unsigned)strtoul(only, &end, 10);
    o->limits.kept = *end ? o->kept : NULL;
    while (*end && o->limits.kept_count < MOST_KEPT)
        o->kept[o->limits.kept_count++] = (uint32_t)strtoul(end + 1, &end, 10);
    o->limits.memory_bytes = megabytes > 0 ? (size_t)(megabytes * 1048576) : runs_memory();
    o->limits.sample = (struct machine_sample){.blocks = (unsigned)blocks,
                                               .launches = (unsigned)launches,
                                               .launches_of_kernel = (unsigned)of_kernel,
                                               .steps = (unsigned)steps};
    o->limits.calls = (unsigned)calls;
    o->limits.gpus = (unsigned)gpus;
    o->as_compilers = strcmp(format, "gcc") == 0;
    o->hang = hang != NULL;
    o->plan.exhaustive = exhaustive != NULL;
}

void checked_program_tool(int count, char **options)
{
    struct options o = {.plan = {.seconds = 60}, .limits = {.seconds_of_run = 20}, .file = "the program"};
    read_options(&o, count, options);
    if (o.json)
        file_check_target("json", o.json, true, NULL);
    if (o.sarif)
        file_check_target("sarif", o.sarif, true, NULL);
    if (o.sources)
        sources_read(o.sources);
    ptx_set_text_name(sources_ptx());
    ptx_set_unordered_waits(o.unordered_waits);
    suppressions_read_comments();
    if (o.suppressions)
        suppressions_read(o.suppressions);
    const char *lacks = o.limits.scratch ? sandbox_lacks() : NULL;
    if (lacks)
        fail(EXIT_CANNOT, "--sandbox: this system lacks %s", lacks);
    struct findings findings = {.file = o.file, .limits = o.limits};
    machine_mark_lines(true);
    /* turns on the collection of data races; runs_wait() adds the races of each run */
    machine_collect_races(true, true);
    schedules_run(&o.plan, o.limits, &findings);
    if (o.hang)
        findings.hang = hang_study(o.limits, o.plan.seconds, findings.runs, findings.of[RUN_HUNG].runs,
                                   findings.of[RUN_HUNG].outcome.text);
    findings_collect(&findings);
    shorten_schedules(&findings, o.plan.seconds);
    findings_print(&findings, o.as_compilers, stdout);
    if (o.json)
        findings_write(&findings, o.json);
    if (o.sarif)
        sarif_write(o.sarif);
    finish_output();
    /* exit() would call the destructors of the checked program, whose constructors were not called */
    _exit(findings_status(&findings));
}
