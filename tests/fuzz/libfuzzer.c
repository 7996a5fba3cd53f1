/*
 * The entry point of libFuzzer. FUZZ_TARGET in the environment names the parser. The linker redirects exit(),
 * by which a parser refuses its input, to this file. The memory that a refused input leaves allocated is
 * lost; so make fuzz lets libFuzzer begin new processes (-fork).
 */
#include "tests/fuzz/fuzz.h"

#include "harness/result.h"
#include "report/results.h"
#include "report/table.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool inside;
static jmp_buf refused;

void __real_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status)
{
    if (!inside)
        __real_exit(status);
    longjmp(refused, status + 1);
}

static const struct fuzz_target *chosen(void)
{
    const char *name = getenv("FUZZ_TARGET");
    for (size_t i = 0; i < fuzz_targets_count; i++)
        if (name && strcmp(name, fuzz_targets[i].name) == 0)
            return &fuzz_targets[i];
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *said = NULL;
    size_t said_bytes;
    FILE *usual = stderr, *usual_output = stdout, *heard = open_memstream(&said, &said_bytes);
    const int lowest =
        dup(STDIN_FILENO); /* files that the target leaves open have this number or higher ones */
    close(lowest);
    stderr = heard;
    const int jumped = setjmp(refused);
    if (!jumped) {
        inside = true;
        fuzz_one(chosen(), data, size);
    } else {
        journal_close();
        close_range((unsigned)lowest, ~0u, 0);
    }
    results_forget();
    made_forget();
    inside = false;
    stderr = usual;
    stdout = usual_output; /* a target may have replaced it */
    fclose(heard);
    if (jumped && !fuzz_is_refusal(jumped - 1, said)) {
        fprintf(stderr, "status %d after \"%s\"\n", jumped - 1, said);
        abort();
    }
    free(said);
    return 0;
}
