#include "harness/options.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"
#include "harness/methods.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, INTEGER, SEED, SECONDS, VARIANTS, BLOCKS, ALSO, SHAPE, SIZES, HELP, VERSION };

/*
 * The table of the options that all programs have. Its columns are: name; argument in --help; how the value
 * is read; its place in struct options; the limits of a number; and the text of --help, in which {NAME}
 * stands for a value of the experiment (value_of). An option without an argument is a flag. --help does not
 * list an option without a text.
 */
#define AT(member) offsetof(struct options, member)
static const struct common_option {
    const char *name, *argument;
    enum kind kind;
    size_t at;
    long long least, most;
    const char *help;
} common_options[] = {
    {"variant", "LIST", VARIANTS, AT(variants), 0, 0,
     "names, comma-separated, of those that --list prints (default: all that this device can do)"},
    {"blocks", "LIST", BLOCKS, AT(blocks), 0, 0,
     "thread blocks: 1,2 or 9-30 or 9-30:3; all: one on every multiprocessor; twice: that, and two on each; "
     "doubling: that, and 1, 2, 4, ... before it (default: up to all that are resident)"},
    {"also", "LIST:LIST", ALSO, AT(also_blocks), 0, 0,
     "further thread blocks, not in --blocks, and the variants that alone are measured with them"},
    {"threads", "LIST", SHAPE, AT(threads), 0, 0, "threads in a block (default: {threads})"},
    {"size", "LIST", SIZES, AT(sizes), 0, 0,
     "{size} (default: {gpu-sizes}; {machine-sizes} on the memory machine)"},
    {"runs", "N", INTEGER, AT(runs), 1, 1000000,
     "samples of each point, at least (default: {runs}; 1 on the memory machine)"},
    {"within", "P", INTEGER, AT(within), 0, 100,
     "GPU: up to twice as many, until the interval of the median is within P percent of it (default: 1; 0: "
     "no "
     "more)"},
    {"in-graph", NULL, FLAG, AT(in_graph), 0, 0,
     "GPU: time repeats in a CUDA graph, not back to back in a stream"},
    {"early", NULL, FLAG, AT(early), 0, 0,
     "a run of one kernel may begin while the run before ends (programmatic dependent launch)"},
    {"processes", "N", INTEGER, AT(processes), 1, 100,
     "GPU, with --json: take the samples in N processes, so that the interval knows of other allocations "
     "(default: 2)"},
    {"seed", "N", SEED, AT(seed), 0, 1ll << 53,
     "of generated inputs and of the machine's schedule (default: 1)"},
    {"input", "FILE", TEXT, AT(input), 0, 0, "the problem, instead of a generated one"},
    {"output", "FILE", TEXT, AT(output), 0, 0, "write the answers of the last point"},
    {"json", "FILE", TEXT, AT(json), 0, 0, "write the result file; --force replaces an existing one"},
    {"sweep", "NAME", TEXT, AT(sweep), 0, 0,
     "measure what a row of sweeps.txt says (all: each row), into that sweep of the file; with --list: print "
     "the rows"},
    {"extent", "E", TEXT, AT(extent), 0, 0,
     "how much sweeps measure: default, quick, full, own (what the default run has for this machine "
     "alone), predicted (what `make fidelity` reads) or robust (scripts/robustness)"},
    {"resume", NULL, FLAG, AT(resume), 0, 0,
     "with --json: go on where an interrupted run with the same command stopped"},
    {"device", "D", TEXT, AT(device), 0, 0,
     "GPU: its index; memory machine: a preset, a description file, or umm:W,L or dmm:W,L (which charge "
     "memory alone; umm:W,L,B: and B for a barrier; default: gtx280)"},
    {"schedule", "NAME", TEXT, AT(schedule), 0, 0, "memory machine: round-robin, random or adversarial"},
    {"memory", "NAME", TEXT, AT(memory), 0, 0,
     "memory machine: coherent, or weak as PTX allows: l1, oldest or random"},
    {"races", NULL, FLAG, AT(races), 0, 0,
     "memory machine: report data races (with --memory oldest, if none is named)"},
    {"trace", "FILE", TEXT, AT(trace), 0, 0,
     "memory machine: write each request to memory, of a lock or a barrier, when it was made and when it was "
     "done; --force replaces an existing file"},
    {"timeout", "S", SECONDS, AT(timeout_s), 1, 86400,
     "seconds that a kernel may run before the watchdog ends the program (default: 30; none on the memory "
     "machine)"},
    {"no-residency-check", NULL, FLAG, AT(no_residency_check), 0, 0,
     "launch a grid barrier even if its blocks cannot all be resident"},
    {"strict", NULL, FLAG, AT(strict), 0, 0, "a wrong result of an unordered variant is an error, too"},
    {"print-device", NULL, FLAG, AT(print_device), 0, 0, "print the device's short name and exit"},
    {"list", NULL, FLAG, AT(list), 0, 0, "list the variants and exit"},
    {"unit", "UNIT", TEXT, AT(unit), 0, 0,
     "of the times in the printed table: us, ns, cycles, or units, as in the result file (default: ns on a "
     "GPU, "
     "us on a memory machine with a clock)"},
    {"quiet", NULL, FLAG, AT(quiet), 0, 0, "no table, no progress"},
    {"version", NULL, VERSION, 0, 0, 0, "print the version and exit"},
    {"force", NULL, FLAG, AT(force), 0, 0, NULL},
    {"help", NULL, HELP, 0, 0, 0, NULL},
};
#define COMMON_OPTIONS ((int)(sizeof common_options / sizeof *common_options))
/* getopt's code for the first common option; it is above the codes of all letters. The other common options
 * have the next codes, in the order of their rows, and after them the experiment's own options. */
#define FIRST_OPTION 256
#define FIRST_EXTRA (FIRST_OPTION + COMMON_OPTIONS)

/* ---- --help ---- */

#define HELP_WIDTH 100
#define HELP_COLUMN 24

/* Prints the text, broken into lines of at most HELP_WIDTH columns that begin at column `column`. The cursor
 * is at column `at` when the function is called. */
static void print_wrapped(int at, int column, const char *text)
{
    bool is_first = true;
    while (*text) {
        int length = (int)strcspn(text, " ");
        bool fits = is_first || at + 1 + length <= HELP_WIDTH;
        if (!fits)
            printf("\n");
        int blanks = !fits ? column : is_first ? (at < column ? column - at : at > 0) : 1;
        printf("%*s%.*s", blanks, "", length, text);
        at = (fits ? at : 0) + blanks + length;
        is_first = false;
        text += length;
        text += strspn(text, " ");
    }
    printf("\n");
}

/* Returns the experiment's value for a {NAME} in a help text, such as {threads} or {size}. */
static const char *value_of(const char *name, const struct experiment *e)
{
    static char runs[16];
    snprintf(runs, sizeof runs, "%d", e->gpu_runs);
    const char *const values[][2] = {
        {"{threads}", e->launches.threads ? e->launches.threads : "as variant and size need"},
        {"{size}", e->size_means},
        {"{gpu-sizes}", e->gpu_sizes},
        {"{machine-sizes}", e->machine_sizes},
        {"{runs}", runs}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strncmp(values[i][0], name, strlen(values[i][0])) == 0)
            return values[i][1];
    return "?";
}

/* Prints one option for --help; `help` may contain {NAME}s, which value_of replaces. */
static void print_option(const char *name, const char *argument, const char *help, const struct experiment *e)
{
    char text[1024] = "";
    size_t used = 0;
    while (*help && used < sizeof text - 1) {
        size_t plain = strcspn(help, "{");
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%s", (int)plain, help,
                                 help[plain] ? value_of(help + plain, e) : "");
        help += plain + strcspn(help + plain, "}");
        help += *help == '}';
    }
    print_wrapped(printf("  --%s%s%s", name, argument ? " " : "", argument ? argument : ""), HELP_COLUMN,
                  text);
}

static bool takes_input(const struct experiment *e)
{
    return e->problem.open && !e->problem.is_generated;
}

/* Returns whether --help lists the option; options that the experiment does not use are left out. */
static bool is_listed(const struct common_option *row, const struct experiment *e)
{
    return row->help && (row->at != AT(input) || takes_input(e)) &&
           (row->at != AT(output) || e->problem.write_answers);
}

static void print_help(const struct experiment *e)
{
    print_wrapped(printf("%s:", e->name), 0, e->question);
    printf("\nusage: %s [options]\n\n", e->name);
    for (const struct common_option *row = common_options; row < common_options + COMMON_OPTIONS; row++)
        if (is_listed(row, e))
            print_option(row->name, row->argument, row->help, e);
    for (const struct extra_option *x = e->options; x && x->name; x++) {
        char text[1024];
        snprintf(text, sizeof text, "%s (default: %s)", x->help, x->standard);
        print_wrapped(printf("  --%s", x->name), HELP_COLUMN, text);
    }
    printf("\nexit status:\n"
           "  0 all measured, and what is ordered verified\n"
           "  1 a result was wrong, or an ordered variant has a data race (--races)\n"
           "  2 bad command line or input\n"
           "  3 the device cannot do this, or another run writes the file\n"
           "  4 deadlock or time-out\n");
}

/* ---- values ---- */

static long long parse_number(const char *option, const char *text, long long low, long long high)
{
    long long value;
    if (!parse_whole(text, low, high, &value))
        fail(EXIT_BAD_INPUT, "--%s must be a whole number from %lld to %lld, not \"%s\"", option, low, high,
             text);
    return value;
}

static void parse_list(const char *option, const char *text, bool is_shaped, struct int_list *out)
{
    if (is_shaped)
        fail(EXIT_BAD_INPUT, "--%s has no use here: variant and size decide the shape of a launch", option);
    const char *wrong = parse_int_list(text, out);
    if (wrong)
        fail(EXIT_BAD_INPUT, "--%s must be a list like 1,2 or 9-30 or 9-30:3; \"%s\" %s", option, text,
             wrong);
}

/* Returns the variant that has this name or, if none has, this plain name; NULL if there is none. */
static const struct variant *find_variant(const struct experiment *e, const char *name)
{
    const struct variant *found = NULL;
    for (int i = e->variant_count - 1; i >= 0; i--) {
        if (strcmp(e->variants[i].name, name) == 0)
            return &e->variants[i];
        char *plain = plain_names_in(e->variants[i].name);
        if (strcmp(plain, name) == 0)
            found = &e->variants[i];
        free(plain);
    }
    return found;
}

static void __attribute__((noreturn)) refuse_variant(const struct experiment *e, const char *name)
{
    const char **names = allocate(((size_t)e->variant_count + 1) * sizeof *names);
    char meant[NEAREST_BYTES];
    for (int i = 0; i < e->variant_count; i++)
        names[i] = e->variants[i].name;
    fail(EXIT_BAD_INPUT, "no variant \"%s\"%s (--list shows them)", name,
         did_you_mean(meant, "", name, names, (size_t)e->variant_count));
}

/* Returns the names in the comma-separated `argument`, ended by NULL, as copies in one allocation. `argument`
 * itself stays unchanged, because the result file quotes the command line. */
static const char **parse_variants(const struct experiment *e, const char *argument)
{
    size_t length = strlen(argument), places = length + 2, count = 0;
    const char **names = allocate(places * sizeof *names + length + 1);
    char *text = strcpy((char *)(names + places), argument);
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        const struct variant *variant = find_variant(e, name);
        if (!variant)
            refuse_variant(e, name);
        names[count++] = variant->name;
    }
    if (!count)
        fail(EXIT_BAD_INPUT, "--variant names none; --list shows them");
    return names;
}

/* Returns the number of the choice `text` in the comma-separated list `choices`, counted from 0. Exits if the
 * list does not have it. */
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

/* Reads the value of --blocks: a LIST of numbers (base/list.h), or one of the words "all", "twice" and
 * "doubling", whose numbers of blocks depend on the device. */
static void parse_blocks(const struct experiment *e, const char *text, struct options *o)
{
    static const char *const words[] = {
        [BLOCKS_ALL] = "all", [BLOCKS_TWICE] = "twice", [BLOCKS_DOUBLING] = "doubling"};
    o->blocks_by = BLOCKS_LISTED;
    o->blocks = (struct int_list){NULL, 0};
    for (int by = BLOCKS_ALL; by <= BLOCKS_DOUBLING; by++)
        if (!e->launches.shape && strcmp(text, words[by]) == 0)
            o->blocks_by = by;
    if (o->blocks_by == BLOCKS_LISTED)
        parse_list("blocks", text, e->launches.shape, &o->blocks);
}

/* Reads the value of --also: numbers of blocks, a colon, and names of variants. The colon is the last one,
 * because a list of numbers may have others. */
static void parse_also(const struct experiment *e, const char *text, struct options *o)
{
    const char *colon = strrchr(text, ':');
    if (!colon)
        fail(EXIT_BAD_INPUT,
             "--also must be numbers of blocks and variants, like 6,7:none; \"%s\" has no colon", text);
    char *blocks = copy_text(text);
    blocks[colon - text] = '\0';
    parse_list("also", blocks, e->launches.shape, &o->also_blocks);
    free(blocks);
    o->also_variants = parse_variants(e, colon + 1);
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
    case ALSO:
        parse_also(e, text, o);
        break;
    case SHAPE:
    case SIZES:
        parse_list(row->name, text, row->kind == SHAPE && e->launches.shape, to);
        break;
    case HELP:
        print_help(e);
        finish_output();
        exit(EXIT_VERIFIED);
    case VERSION:
        print_version(e->name);
        finish_output();
        exit(EXIT_VERIFIED);
    }
}

static void check_options(const struct experiment *e, const struct options *o)
{
    if (o->input && !takes_input(e))
        fail(EXIT_BAD_INPUT, "there is nothing to --input here");
    if (o->output && !e->problem.write_answers)
        fail(EXIT_BAD_INPUT, "there are no answers to --output here");
    if (o->resume && !o->json)
        fail(EXIT_BAD_INPUT, "--resume needs --json");
    choice_of("extent", "default,quick,full,own,predicted,robust", o->extent);
    if (o->unit)
        choice_of("unit", PRINT_UNITS, o->unit);
}

/* ---- words ---- */

/* Returns the table of options for getopt_long: the options of all programs, then the experiment's own. */
static const struct option *all_options(const struct experiment *e)
{
    static struct option all[COMMON_OPTIONS + MOST_EXTRA_OPTIONS + 1];
    int count = 0;
    for (; count < COMMON_OPTIONS; count++) {
        const struct common_option *row = &common_options[count];
        all[count] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL,
                                     FIRST_OPTION + count};
    }
    for (int i = 0; e->options && e->options[i].name && i < MOST_EXTRA_OPTIONS; i++)
        all[count++] = (struct option){e->options[i].name, required_argument, NULL, FIRST_EXTRA + i};
    all[count] = (struct option){NULL, 0, NULL, 0};
    return all;
}

/* Exits because of a word that getopt_long refused with the code `refused`: ':' for an option that lacks its
 * value, and otherwise '?', where optopt is the option's code if it has a value but takes none. */
static void __attribute__((noreturn)) refuse_word(int refused, const char *word, const struct option *options)
{
    const char *names[COMMON_OPTIONS + MOST_EXTRA_OPTIONS];
    char meant[NEAREST_BYTES], name[64];
    size_t count = 0;
    if (refused == ':')
        fail(EXIT_BAD_INPUT, "%s needs a value; see --help", word);
    if (optopt >= FIRST_OPTION)
        fail(EXIT_BAD_INPUT, "%s: this option takes no value; see --help", word);
    for (const struct option *o = options; o->name; o++)
        names[count++] = o->name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word + strspn(word, "-"));
    fail(EXIT_BAD_INPUT, "%s is no option%s (see --help)", word,
         did_you_mean(meant, "--", name, names, count));
}

/* Reads the options in argv[1], argv[2], ... one after the other, but ignores the values of those whose bit
 * is set in `keep`. Returns the set of all options that it read: bit i stands for option number i, as in the
 * member `given` of struct options. */
static unsigned long long read_words(int argc, char **argv, const struct experiment *e,
                                     unsigned long long keep, struct options *o)
{
    _Static_assert(COMMON_OPTIONS + MOST_EXTRA_OPTIONS <= 64, "`given` has a bit for each option");
    const struct option *options = all_options(e);
    unsigned long long read = 0;
    int option;
    /* turns off getopt's own messages, which would quote what was typed, control characters included */
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (option == 'h')
            store_common(&(struct common_option){.kind = HELP}, NULL, e, o);
        if (option < FIRST_OPTION)
            refuse_word(option, argv[optind - 1], options);
        unsigned long long bit = 1ull << (option - FIRST_OPTION);
        read |= bit;
        if (keep & bit)
            continue;
        if (option < FIRST_EXTRA)
            store_common(&common_options[option - FIRST_OPTION], optarg, e, o);
        else
            o->extras[option - FIRST_EXTRA] = optarg;
    }
    if (optind < argc)
        fail(EXIT_BAD_INPUT, "unexpected argument \"%s\"; see --help", argv[optind]);
    return read;
}

static void store_extras(const struct experiment *e, const struct options *o)
{
    for (int i = 0; e->options && e->options[i].name; i++)
        store_extra(&e->options[i], o->extras[i]);
}

void parse_options(int argc, char **argv, const struct experiment *e, struct options *o)
{
    *o = (struct options){.seed = 1, .within = 1, .processes = e->one_process ? 1 : 2, .extent = "default"};
    for (int i = 0; e->options && e->options[i].name; i++)
        o->extras[i] = e->options[i].standard;
    o->given = read_words(argc, argv, e, 0, o);
    store_extras(e, o);
    check_options(e, o);
}

/* Returns the bit of an option in the member `given` of struct options. */
static unsigned long long bit_of(size_t place)
{
    int option = 0;
    while (common_options[option].at != place)
        option++;
    return 1ull << option;
}

#define MOST_WORDS 64
void add_options(const char *text, const struct experiment *e, struct options *o)
{
    char *words[MOST_WORDS + 1] = {""}, *rest;
    int count = 1;
    /* The copy of the text is never freed, because options point into it. */
    for (char *word = strtok_r(copy_text(text), " ", &rest); word && count < MOST_WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    /* --blocks of the command line replaces all numbers of blocks of the row */
    unsigned long long keep = o->given | (o->given & bit_of(AT(blocks)) ? bit_of(AT(also_blocks)) : 0);
    read_words(count, words, e, keep, o);
    store_extras(e, o);
}
