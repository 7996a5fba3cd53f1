#include "harness/options.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EXTRAS 16
static const char *extra_values[MOST_EXTRAS];

/* How an option of all programs is read, and where into struct options; numbers from `least` to `most`. */
#define AT(member) offsetof(struct options, member)
static const struct common_option {
    const char *name;
    enum { FLAG, TEXT, INTEGER, SEED, SECONDS, VARIANTS, BLOCKS, SHAPE, SIZES, HELP, VERSION } kind;
    size_t at;
    long long least, most;
} common_options[] = {
    {"variant", VARIANTS, AT(variants), 0, 0},
    {"blocks", BLOCKS, AT(blocks), 0, 0},
    {"threads", SHAPE, AT(threads), 0, 0},
    {"size", SIZES, AT(sizes), 0, 0},
    {"runs", INTEGER, AT(runs), 1, 1000000},
    {"processes", INTEGER, AT(processes), 1, 100},
    {"within", INTEGER, AT(within), 0, 100},
    {"in-graph", FLAG, AT(in_graph), 0, 0},
    {"early", FLAG, AT(early), 0, 0},
    {"seed", SEED, AT(seed), 0, 1ll << 53},
    {"input", TEXT, AT(input), 0, 0},
    {"output", TEXT, AT(output), 0, 0},
    {"json", TEXT, AT(json), 0, 0},
    {"sweep", TEXT, AT(sweep), 0, 0},
    {"extent", TEXT, AT(extent), 0, 0},
    {"device", TEXT, AT(device), 0, 0},
    {"schedule", TEXT, AT(schedule), 0, 0},
    {"trace", TEXT, AT(trace), 0, 0},
    {"memory", TEXT, AT(memory), 0, 0},
    {"races", FLAG, AT(races), 0, 0},
    {"timeout", SECONDS, AT(timeout_s), 1, 86400},
    {"no-residency-check", FLAG, AT(no_residency_check), 0, 0},
    {"resume", FLAG, AT(resume), 0, 0},
    {"strict", FLAG, AT(strict), 0, 0},
    {"force", FLAG, AT(force), 0, 0},
    {"print-device", FLAG, AT(print_device), 0, 0},
    {"list", FLAG, AT(list), 0, 0},
    {"quiet", FLAG, AT(quiet), 0, 0},
    {"help", HELP, 0, 0, 0},
    {"version", VERSION, 0, 0, 0},
};
#define COMMON_OPTIONS ((int)(sizeof common_options / sizeof *common_options))
/* What getopt calls them: the common ones by their row, behind any letter; then the experiment's own. */
#define FIRST_OPTION 256
#define FIRST_EXTRA (FIRST_OPTION + COMMON_OPTIONS)

static void print_help(const struct experiment *e)
{
    printf(
        "%s: %s\n\n"
        "usage: %s [options]\n\n"
        "  --variant LIST        names, comma-separated (default: all that this device can do)\n"
        "  --blocks LIST         thread blocks: 1,2 or 9-30 or 9-30:3; all: one on every multiprocessor;\n"
        "                        twice: that, and two on each; doubling: that, and 1, 2, 4, ... before it\n"
        "                        (default: up to all that are resident)\n"
        "  --threads LIST        threads in a block (default: %s)\n"
        "  --size LIST           %s (default: %s; %s on the memory machine)\n"
        "  --runs N              samples of each point, at least (default: %d; 1 on the memory machine)\n"
        "  --within P            GPU: up to twice as many, until the interval of the median is within "
        "P "
        "percent "
        "of it\n"
        "                        (default: 1; 0: no more)\n"
        "  --in-graph            GPU: time repeats in a CUDA graph, not back to back in a stream\n"
        "  --early               a run of one kernel may begin while the run before ends (programmatic "
        "dependent\n"
        "                        launch)\n"
        "  --processes N         GPU, with --json: take the samples in N processes, so that the interval "
        "knows of "
        "other\n"
        "                        allocations (default: 2)\n"
        "  --seed N              of generated inputs and of the machine's schedule (default: 1)\n"
        "%s%s"
        "  --json FILE           write the result file; --force replaces an existing one\n"
        "  --sweep NAME          measure what a row of sweeps.txt says (all: each row), into that sweep of "
        "the file;\n"
        "                        with --list: print the rows\n"
        "  --extent E            how much sweeps measure: default, quick, full, predicted (what `make "
        "fidelity` "
        "reads)\n"
        "                        or robust (scripts/robustness)\n"
        "  --resume              with --json: go on where an interrupted run with the same command stopped\n"
        "  --device D            GPU: its index; memory machine: a preset, a description file, or umm:W,L or "
        "dmm:W,L\n"
        "                        (which charge memory alone; umm:W,L,B: and B for a barrier; default: "
        "gtx280)\n"
        "  --schedule NAME       memory machine: round-robin, random or adversarial\n"
        "  --memory NAME         memory machine: coherent, or weak as PTX allows: l1, oldest or random\n"
        "  --races               memory machine: report data races (with --memory oldest, if none is named)\n"
        "  --trace FILE          memory machine: write each request to memory, of a lock or a "
        "barrier, when it was made\n"
        "                        and when it was done\n"
        "  --timeout S           seconds that a kernel may run before the watchdog ends the program "
        "(default: 30; none on the\n"
        "                        memory machine)\n"
        "  --no-residency-check  launch a grid barrier even if its blocks cannot all be resident\n"
        "  --strict              a wrong result of an unordered variant is an error, too\n"
        "  --print-device        print the device's short name and exit\n"
        "  --list                list the variants and exit\n"
        "  --quiet               no table, no progress\n"
        "  --version             print the version and exit\n",
        e->name, e->question, e->name, e->launches.threads ? e->launches.threads : "as variant and size need",
        e->size_means, e->gpu_sizes, e->machine_sizes, e->gpu_runs,
        e->problem.open ? "  --input FILE          the problem, instead of a generated one\n" : "",
        e->problem.write_answers ? "  --output FILE         write the answers of the last point\n" : "");
    for (const struct extra_option *x = e->options; x && x->name; x++)
        printf("  --%-19s %s (default: %s)\n", x->name, x->help, x->standard);
    printf("\nexit status: 0 all measured, and what is ordered verified; 1 a result was wrong, or an "
           "ordered\n"
           "variant has a data race (--races); 2 bad command line or input;\n"
           "3 the device cannot do this; 4 deadlock or time-out\n");
}

/* The common options and the experiment's own, as getopt wants them. */
static const struct option *all_options(const struct experiment *e)
{
    static struct option all[COMMON_OPTIONS + MOST_EXTRAS + 1];
    int count = 0;
    for (; count < COMMON_OPTIONS; count++) {
        const struct common_option *row = &common_options[count];
        bool is_alone = row->kind == FLAG || row->kind == HELP || row->kind == VERSION;
        all[count] = (struct option){row->name, is_alone ? no_argument : required_argument, NULL,
                                     FIRST_OPTION + count};
    }
    for (int i = 0; e->options && e->options[i].name && i < MOST_EXTRAS; i++)
        all[count++] = (struct option){e->options[i].name, required_argument, NULL, FIRST_EXTRA + i};
    all[count] = (struct option){NULL, 0, NULL, 0};
    return all;
}

static long long parse_number(const char *option, const char *text, long long low, long long high)
{
    long long value;
    if (!parse_whole(text, low, high, &value))
        fail(EXIT_BAD_INPUT, "--%s must be a whole number from %lld to %lld, not \"%s\"", option, low, high,
             text);
    return value;
}

static void parse_list(const char *option, const char *text, bool given, struct int_list *out)
{
    if (given)
        fail(EXIT_BAD_INPUT, "--%s has no use here: variant and size decide the shape of a launch", option);
    const char *wrong = parse_int_list(text, out);
    if (wrong)
        fail(EXIT_BAD_INPUT, "--%s must be a list like 1,2 or 9-30 or 9-30:3; \"%s\" %s", option, text,
             wrong);
}

static const struct variant *find_variant(const struct experiment *e, const char *name)
{
    for (int i = 0; i < e->variant_count; i++)
        if (strcmp(e->variants[i].name, name) == 0)
            return &e->variants[i];
    return NULL;
}

/* The names are copies: the result file tells the command as it was given. One allocation holds all. */
static const char **parse_variants(const struct experiment *e, const char *argument)
{
    size_t length = strlen(argument), places = length + 2, count = 0;
    const char **names = allocate(places * sizeof *names + length + 1);
    char *text = strcpy((char *)(names + places), argument);
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        if (!find_variant(e, name))
            fail(EXIT_BAD_INPUT, "no variant \"%s\"; --list shows them", name);
        names[count++] = name;
    }
    if (!count)
        fail(EXIT_BAD_INPUT, "--variant names none; --list shows them");
    return names;
}

/* ---- the experiment's own ---- */

/* Which of the choices, comma-separated, the text is, counted from 0. */
static int choice_of(const char *name, const char *choices, const char *text)
{
    const char *at = choices;
    for (int i = 0; *at; i++) {
        size_t length = strcspn(at, ",");
        if (strlen(text) == length && strncmp(text, at, length) == 0)
            return i;
        at += length + (at[length] == ',');
    }
    fail(EXIT_BAD_INPUT, "--%s must be one of %s, not \"%s\"", name, choices, text);
}

static void store_extra(const struct extra_option *x, const char *text)
{
    if (x->text)
        *x->text = text;
    else if (x->choices)
        *x->number = choice_of(x->name, x->choices, text);
    else
        *x->number = (int)parse_number(x->name, text, x->least, x->most);
}

static const char *extra_text(const struct experiment *e, int i)
{
    return extra_values[i] ? extra_values[i] : e->options[i].standard;
}

const char *option_text(const struct experiment *e, const char *name)
{
    for (int i = 0; e->options && e->options[i].name; i++)
        if (strcmp(e->options[i].name, name) == 0)
            return extra_text(e, i);
    return NULL;
}

/* A LIST, or a word for the blocks that a device has room for. */
static void parse_blocks(const struct experiment *e, const char *text, struct options *o)
{
    static const char *const words[] = {
        [BLOCKS_ALL] = "all", [BLOCKS_TWICE] = "twice", [BLOCKS_DOUBLING] = "doubling"};
    o->blocks_by = BLOCKS_LISTED;
    for (int by = BLOCKS_ALL; by <= BLOCKS_DOUBLING; by++)
        if (!e->launches.shape && strcmp(text, words[by]) == 0)
            o->blocks_by = by;
    if (o->blocks_by == BLOCKS_LISTED)
        parse_list("blocks", text, e->launches.shape, &o->blocks);
}

static void store_common(const struct common_option *row, const char *text, const struct experiment *e,
                         struct options *o)
{
    void *to = (char *)o + row->at;
    long long most = e->one_process && row->at == AT(processes) ? 1 : row->most;
    switch (row->kind) {
    case FLAG:
        *(bool *)to = true;
        break;
    case TEXT:
        *(const char **)to = text;
        break;
    case INTEGER:
        *(int *)to = (int)parse_number(row->name, text, row->least, most);
        break;
    case SEED:
        *(unsigned long long *)to = (unsigned long long)parse_number(row->name, text, row->least, most);
        break;
    case SECONDS:
        *(double *)to = (double)parse_number(row->name, text, row->least, most);
        break;
    case VARIANTS:
        o->variants = parse_variants(e, text);
        break;
    case BLOCKS:
        parse_blocks(e, text, o);
        break;
    case SHAPE:
    case SIZES:
        parse_list(row->name, text, row->kind == SHAPE && e->launches.shape, to);
        break;
    case HELP:
        print_help(e);
        exit(EXIT_VERIFIED);
    case VERSION:
        print_version(e->name);
        exit(EXIT_VERIFIED);
    }
}

static void check_options(const struct experiment *e, const struct options *o)
{
    if (o->input && !e->problem.open)
        fail(EXIT_BAD_INPUT, "there is nothing to --input here");
    if (o->output && !e->problem.write_answers)
        fail(EXIT_BAD_INPUT, "there are no answers to --output here");
    if (o->resume && !o->json)
        fail(EXIT_BAD_INPUT, "--resume needs --json");
    choice_of("extent", "default,quick,full,predicted,robust", o->extent);
}

/* Reads options one after the other; a later one counts. argv[0] is no option. */
static void read_words(int argc, char **argv, const struct experiment *e, struct options *o)
{
    const struct option *options = all_options(e);
    int option;
    opterr = 0; /* getopt would quote what was typed as it is */
    optind = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h')
            store_common(&(struct common_option){.kind = HELP}, NULL, e, o);
        if (option < FIRST_OPTION)
            fail(EXIT_BAD_INPUT, "%s is no option, or lacks its value, or has one too many; see --help",
                 argv[optind - 1]);
        if (option < FIRST_EXTRA)
            store_common(&common_options[option - FIRST_OPTION], optarg, e, o);
        else
            extra_values[option - FIRST_EXTRA] = optarg;
    }
    if (optind < argc)
        fail(EXIT_BAD_INPUT, "unexpected argument \"%s\"; see --help", argv[optind]);
}

/* The words stay allocated: options point into them. */
#define MOST_WORDS 64
static void read_text_of_options(const char *text, const struct experiment *e, struct options *o)
{
    char *words[MOST_WORDS + 1] = {""}, *rest;
    int count = 1;
    for (char *word = strtok_r(copy_text(text), " ", &rest); word && count < MOST_WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    read_words(count, words, e, o);
}

void parse_options(int argc, char **argv, const char *first, const struct experiment *e, struct options *o)
{
    *o = (struct options){.seed = 1, .within = 1, .processes = e->one_process ? 1 : 2, .extent = "default"};
    memset(extra_values, 0, sizeof extra_values);
    if (first)
        read_text_of_options(first, e, o);
    read_words(argc, argv, e, o);
    for (int i = 0; e->options && e->options[i].name; i++)
        store_extra(&e->options[i], extra_text(e, i));
    check_options(e, o);
}
