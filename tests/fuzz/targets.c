#include "tests/fuzz/fuzz.h"

#include "align/sequences.h"
#include "base/failure.h"
#include "base/list.h"
#include "base/text.h"
#include "bitonic/keys.h"
#include "micro/progress/program.h"
#include "fft/reference.h"
#include "harness/options.h"
#include "harness/result.h"
#include "machine/machine.h"
#include "machine/memory/arrays.h"
#include "machine/ptx/body.h"
#include "pairhmm/tasks.h"
#include "report/claims.h"
#include "report/compare.h"
#include "report/preset.h"
#include "report/papers/study.h"
#include "report/tables.h"
#include "sum/numbers.h"
#include "swat/batch/gatk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- problems ---- */

static void fuzz_fasta(const char *path, char *text, size_t size)
{
    struct scoring scoring;
    struct sequences sequences;
    (void)text, (void)size;
    read_matrix("blosum62", &scoring);
    read_fasta(path, &scoring, &sequences);
    free_sequences(&sequences);
}

static void fuzz_matrix(const char *path, char *text, size_t size)
{
    struct scoring scoring;
    (void)text, (void)size;
    read_matrix(path, &scoring);
    if (scoring.count > SCORING_LETTERS || (int)strlen(scoring.letters) != scoring.count)
        abort();
}

static void fuzz_tasks(const char *path, char *text, size_t size)
{
    struct sw_tasks tasks;
    (void)text, (void)size;
    sw_read_tasks(path, sw_read_scores("NEW_SW"), sw_read_strategy("SOFTCLIP"), &tasks);
    sw_free_tasks(&tasks);
}

static void fuzz_pairhmm(const char *path, char *text, size_t size)
{
    struct pairhmm_tasks tasks;
    (void)text, (void)size;
    pairhmm_read_tasks(path, &tasks);
    pairhmm_free_tasks(&tasks);
}

/* Reads the input as a file of numbers, whose type the first character of the input chooses. */
static void fuzz_numbers(const char *path, char *text, size_t size)
{
    struct numbers numbers;
    read_numbers(path, size ? (enum number_type)(text[0] & 3) : INT32, &numbers);
    free(numbers.items);
}

static void fuzz_keys(const char *path, char *text, size_t size)
{
    long long n;
    free(read_keys(path, size ? (enum key_type)((unsigned char)text[0] % 3) : KEY_INT, &n));
}

static void fuzz_signal(const char *path, char *text, size_t size)
{
    long long n;
    (void)text, (void)size;
    free(read_signal(path, &n));
}

/* ---- parsers of parts of a command line ---- */

static void fuzz_list(const char *path, char *text, size_t size)
{
    struct int_list list;
    (void)path, (void)size;
    if (parse_int_list(text, &list))
        return;
    for (size_t i = 0; i < list.count; i++)
        if (list.values[i] < 1)
            abort();
    free(list.values);
}

/* Aborts if parse_whole() accepts a text of digits, but returns another number than the text says. */
static void fuzz_number(const char *path, char *text, size_t size)
{
    long long whole;
    double real;
    float single;
    char again[32];
    (void)path, (void)size;
    if (parse_whole(text, -1000000, 1000000, &whole) && strspn(text, "123456789") == strlen(text)) {
        snprintf(again, sizeof again, "%lld", whole);
        if (strcmp(text, again) != 0)
            abort();
    }
    parse_double(text, &real);
    parse_float(text, &single);
}

static int option_number;
static const char *option_words;

/* Splits the input into arguments at zero bytes, and parses them as the options of a program. */
static void fuzz_options(const char *path, char *text, size_t size)
{
    static const struct variant variants[] = {{.name = "one", .summary = "first"},
                                              {.name = "two", .summary = "second"}};
    static const struct extra_option extras[] = {
        {"choice", "either", "left", "left,right", 0, 0, &option_number, NULL},
        {"count", "some", "3", NULL, 1, 9, &option_number, NULL},
        {"words", "any", "", NULL, 0, 0, NULL, &option_words},
        {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
    };
    const struct experiment e = {.name = "fuzz",
                                 .question = "?",
                                 .variants = variants,
                                 .variant_count = 2,
                                 .options = extras,
                                 .size_means = "numbers",
                                 .gpu_sizes = "1",
                                 .machine_sizes = "1"};
    char *arguments[66] = {"fuzz"};
    int count = 1;
    (void)path;
    for (size_t at = 0; at < size && count < 65; at += strlen(text + at) + 1)
        arguments[count++] = text + at;
    struct options o;
    parse_options(count, arguments, &e, &o);
    free(o.blocks.values);
    free(o.threads.values);
    free(o.sizes.values);
    free(o.variants);
}

/* ---- the parser of descriptions of the memory machine ---- */

static void fuzz_machine(const char *path, char *text, size_t size)
{
    struct machine_description description;
    (void)path, (void)size;
    const char *wrong = machine_description_parse(text, "input", &description);
    if (!wrong && (description.warp_size < 2 || description.sm_count < 1))
        abort();
}

/* ---- the reader of PTX ---- */

/* The reader notes a module's variables as arrays of the device, which are not needed here. */
void array_note(const void *memory, size_t bytes, unsigned device, const void *instruction)
{
    (void)memory, (void)bytes, (void)device, (void)instruction;
}
void array_forget(const void *memory)
{
    (void)memory;
}
unsigned device_chosen(void)
{
    return 0;
}

static void check_message(const void *read, const char *message)
{
    if (!read && (!*message || strchr(message, '\n')))
        abort();
}

/* Reads the input as a module, and each of its functions. */
static void fuzz_ptx(const char *path, char *text, size_t size)
{
    const struct ptx_text input = {text, size};
    char message[1024] = "";
    (void)path;
    struct ptx_module *module = ptx_modules_read(&input, 1, "input", true, message, sizeof message);
    check_message(module, message);
    for (size_t f = 0; module && f < module->function_count; f++)
        if (module->functions[f].text)
            check_message(ptx_body_read(&module->functions[f], message, sizeof message), message);
    if (module)
        ptx_modules_free(module);
}

/* ---- results ---- */

/* Writes a name into `name` that no other process uses. */
static void name_in_tmp(const char *what, char *name, size_t bytes)
{
    snprintf(name, bytes, "/tmp/gpusync-fuzz-%s-%ld", what, (long)getpid());
}

static void remove_temporary(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf /tmp/gpusync-fuzz-*-%ld*", (long)getpid());
    if (system(command) != 0)
        fputs("fuzz: files are left in /tmp\n", stderr);
}

/* Opens the input as the journal of a result file. */
static void fuzz_journal(const char *path, char *text, size_t size)
{
    char name[64], partial[80];
    (void)path;
    name_in_tmp("journal", name, sizeof name);
    static bool registered;
    if (!registered)
        atexit(remove_temporary);
    registered = true;
    snprintf(partial, sizeof partial, "%s.partial", name);
    FILE *file = fopen(partial, "w");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0)
        abort();
    cJSON *header =
        cJSON_Parse("{\"schema\":\"gpusync-result/1\",\"experiment\":\"fuzz\",\"device\":{\"name\":\"x\"}}");
    cJSON_Delete(journal_open(name, NULL, header, size % 2 == 0, false));
    result_write(name, NULL, header);
    cJSON_Delete(header);
}

/* Returns the name of a result file for the input: the first name of this list that the input mentions. */
static const char *file_of(const char *text)
{
    static const char *const names[] = {"micro-barrier",
                                        "micro-components",
                                        "micro-latency",
                                        "micro-throughput",
                                        "micro-split",
                                        "micro-producer-consumer",
                                        "fft",
                                        "swat",
                                        "bitonic",
                                        "swat-batch",
                                        "nw",
                                        "pairhmm",
                                        "sum",
                                        "study"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char quoted[40];
        snprintf(quoted, sizeof quoted, "\"%s\"", names[i]);
        if (strstr(text, quoted))
            return names[i];
    }
    return "micro-hazards";
}

/* Aborts if an instruction of the program refers to an instruction, barrier or memory location that the
 * program does not have. */
static void fuzz_progress(const char *path, char *text, size_t size)
{
    struct progress_program *program = progress_read(path);
    (void)text, (void)size;
    for (int t = 0; t < program->thread_count; t++)
        for (int i = 0; i < program->threads[t].count; i++) {
            const struct progress_instruction *code = &program->threads[t].code[i];
            int places = code->kind == PROGRESS_BARRIER ? program->barrier_count : program->location_count;
            if (code->target > program->threads[t].count ||
                (code->kind <= PROGRESS_BARRIER && code->location >= places))
                abort();
        }
    free(program);
}

/* Reads the input as a result file, and makes from it every table, a comparison and a preset. */
static void fuzz_result(const char *path, char *text, size_t size)
{
    char folder[64], name[100];
    size_t count;
    (void)path, (void)size;
    name_in_tmp("result", folder, sizeof folder);
    static bool made;
    if (!made && (mkdir(folder, 0700) != 0 || atexit(remove_temporary) != 0))
        abort();
    made = true;
    snprintf(name, sizeof name, "%s/%s.json", folder, file_of(text));
    FILE *file = fopen(name, "w"), *sink = fopen("/dev/null", "w");
    if (!file || !sink || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
    const struct tables *tables = all_tables(&count);
    for (size_t i = 0; i < count; i++)
        if (table_is_possible(&tables[i], folder))
            print_tables_of(&tables[i], folder, (enum form)(i % 5), sink);
    print_claims(folder, FORM_TEXT, sink);
    char *words[] = {(char *)"fuzz", name};
    if (strcmp(file_of(text), "micro-components") == 0)
        print_preset(&(struct arguments){.words = words, .count = 2}, sink);
    const struct arguments all_points = {.points = true, .fail_slower = 0};
    compare_folders(folder, folder, &all_points, sink);
    fclose(sink);
    unlink(name);
}

const struct fuzz_target fuzz_targets[] = {
    {"fasta", fuzz_fasta},     {"matrix", fuzz_matrix},     {"tasks", fuzz_tasks},
    {"pairhmm", fuzz_pairhmm}, {"numbers", fuzz_numbers},   {"keys", fuzz_keys},
    {"signal", fuzz_signal},   {"list", fuzz_list},         {"number", fuzz_number},
    {"options", fuzz_options}, {"machine", fuzz_machine},   {"journal", fuzz_journal},
    {"result", fuzz_result},   {"progress", fuzz_progress}, {"ptx", fuzz_ptx},
};
const size_t fuzz_targets_count = sizeof fuzz_targets / sizeof *fuzz_targets;

void fuzz_one(const struct fuzz_target *target, const unsigned char *data, size_t size)
{
    int file = memfd_create("input", 0);
    char path[40], *text = calloc(1, size + 1);
    if (file < 0 || !text || write(file, data, size) != (ssize_t)size)
        abort();
    memcpy(text, data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    target->read(path, text, size);
    free(text);
    close(file);
}

bool fuzz_is_refusal(int status, const char *said)
{
    size_t length = strlen(said);
    bool one_line = length > 1 && strchr(said, '\n') == said + length - 1;
    return (status == EXIT_VERIFIED && !length) ||
           ((status == EXIT_BAD_INPUT || status == EXIT_CANNOT) && one_line);
}
