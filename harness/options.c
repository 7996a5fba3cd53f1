#include "harness/options.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_NO_RESIDENCY_CHECK = 256,
    OPT_PRINT_DEVICE,
    OPT_RESUME,
    OPT_FORCE,
    OPT_TIMEOUT,
    OPT_PROCESSES,
    OPT_WITHIN,
    OPT_IN_GRAPH,
    OPT_STRICT,
    OPT_MEMORY,
    OPT_RACES,
    OPT_VERSION,
    OPT_EXTRA
};

#define MOST_EXTRAS 16
static const char *extra_values[MOST_EXTRAS];

static const struct option common_options[] = {
    {"variant", required_argument, NULL, 'v'},
    {"blocks", required_argument, NULL, 'b'},
    {"threads", required_argument, NULL, 't'},
    {"size", required_argument, NULL, 'n'},
    {"runs", required_argument, NULL, 'r'},
    {"processes", required_argument, NULL, OPT_PROCESSES},
    {"within", required_argument, NULL, OPT_WITHIN},
    {"in-graph", no_argument, NULL, OPT_IN_GRAPH},
    {"seed", required_argument, NULL, 's'},
    {"input", required_argument, NULL, 'i'},
    {"output", required_argument, NULL, 'o'},
    {"json", required_argument, NULL, 'j'},
    {"device", required_argument, NULL, 'd'},
    {"schedule", required_argument, NULL, 'S'},
    {"trace", required_argument, NULL, 'T'},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"races", no_argument, NULL, OPT_RACES},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"no-residency-check", no_argument, NULL, OPT_NO_RESIDENCY_CHECK},
    {"resume", no_argument, NULL, OPT_RESUME},
    {"strict", no_argument, NULL, OPT_STRICT},
    {"force", no_argument, NULL, OPT_FORCE},
    {"print-device", no_argument, NULL, OPT_PRINT_DEVICE},
    {"list", no_argument, NULL, 'l'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

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
        "  --within P            GPU: up to three times as many, until the interval of the median is within "
        "P "
        "percent "
        "of it\n"
        "                        (default: 1; 0: no more)\n"
        "  --in-graph            GPU: time repeats in a CUDA graph, not back to back in a stream\n"
        "  --processes N         GPU, with --json: take the samples in N processes, so that the interval "
        "knows of "
        "other\n"
        "                        allocations (default: 2)\n"
        "  --seed N              of generated inputs and of the machine's schedule (default: 1)\n"
        "%s%s"
        "  --json FILE           write the result file; --force replaces an existing one\n"
        "  --resume              with --json: go on where an interrupted run with the same command stopped\n"
        "  --device D            GPU: its index; memory machine: a preset, a description file, or umm:W,L or "
        "dmm:W,L\n"
        "                        (umm:W,L,B: whose barriers cost B) (default: gtx280)\n"
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
    static struct option all[sizeof common_options / sizeof *common_options + MOST_EXTRAS];
    size_t count = sizeof common_options / sizeof *common_options - 1;
    memcpy(all, common_options, sizeof common_options);
    for (int i = 0; e->options && e->options[i].name && i < MOST_EXTRAS; i++)
        all[count++] = (struct option){e->options[i].name, required_argument, NULL, OPT_EXTRA + i};
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

void parse_options(int argc, char **argv, const struct experiment *e, struct options *o)
{
    *o = (struct options){.seed = 1, .within = 1, .processes = e->one_process ? 1 : 2};
    memset(extra_values, 0, sizeof extra_values);
    const struct option *options = all_options(e);
    int opt;
    opterr = 0; /* getopt would quote what was typed as it is */
    while ((opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (opt) {
        case 'v':
            o->variants = parse_variants(e, optarg);
            break;
        case 'b':
            o->blocks_by = e->launches.shape                 ? BLOCKS_LISTED
                           : strcmp(optarg, "all") == 0      ? BLOCKS_ALL
                           : strcmp(optarg, "twice") == 0    ? BLOCKS_TWICE
                           : strcmp(optarg, "doubling") == 0 ? BLOCKS_DOUBLING
                                                             : BLOCKS_LISTED;
            if (o->blocks_by == BLOCKS_LISTED)
                parse_list("blocks", optarg, e->launches.shape, &o->blocks);
            break;
        case 't':
            parse_list("threads", optarg, e->launches.shape, &o->threads);
            break;
        case 'n':
            parse_list("size", optarg, false, &o->sizes);
            break;
        case 'r':
            o->runs = (int)parse_number("runs", optarg, 1, 1000000);
            break;
        case 's':
            o->seed = (unsigned long long)parse_number("seed", optarg, 0, 1ll << 53);
            break;
        case 'j':
            o->json = optarg;
            break;
        case 'd':
            o->device = optarg;
            break;
        case 'S':
            o->schedule = optarg;
            break;
        case 'T':
            o->trace = optarg;
            break;
        case OPT_MEMORY:
            o->memory = optarg;
            break;
        case OPT_RACES:
            o->races = true;
            break;
        case OPT_PROCESSES:
            o->processes = (int)parse_number("processes", optarg, 1, e->one_process ? 1 : 100);
            break;
        case OPT_WITHIN:
            o->within = (int)parse_number("within", optarg, 0, 100);
            break;
        case OPT_IN_GRAPH:
            o->in_graph = true;
            break;
        case OPT_TIMEOUT:
            o->timeout_s = (double)parse_number("timeout", optarg, 1, 86400);
            break;
        case OPT_NO_RESIDENCY_CHECK:
            o->no_residency_check = true;
            break;
        case OPT_RESUME:
            o->resume = true;
            break;
        case OPT_STRICT:
            o->strict = true;
            break;
        case OPT_FORCE:
            o->force = true;
            break;
        case OPT_PRINT_DEVICE:
            o->print_device = true;
            break;
        case 'l':
            o->list = true;
            break;
        case 'q':
            o->quiet = true;
            break;
        case 'h':
            print_help(e);
            exit(EXIT_VERIFIED);
        case OPT_VERSION:
            print_version(e->name);
            exit(EXIT_VERIFIED);
        case 'i':
            if (!e->problem.open)
                fail(EXIT_BAD_INPUT, "there is nothing to --input here");
            o->input = optarg;
            break;
        case 'o':
            if (!e->problem.write_answers)
                fail(EXIT_BAD_INPUT, "there are no answers to --output here");
            o->output = optarg;
            break;
        default:
            if (opt < OPT_EXTRA)
                fail(EXIT_BAD_INPUT, "%s is no option, or lacks its value, or has one too many; see --help",
                     argv[optind - 1]);
            extra_values[opt - OPT_EXTRA] = optarg;
            break;
        }
    }
    if (optind < argc)
        fail(EXIT_BAD_INPUT, "unexpected argument \"%s\"; see --help", argv[optind]);
    for (int i = 0; e->options && e->options[i].name; i++)
        store_extra(&e->options[i], extra_text(e, i));
    if (o->resume && !o->json)
        fail(EXIT_BAD_INPUT, "--resume needs --json");
}
