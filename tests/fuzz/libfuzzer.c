/* The entry point of libFuzzer. FUZZ_TARGET in the environment names the parser. */
#include "tests/fuzz/fuzz.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *name = getenv("FUZZ_TARGET");
    for (size_t i = 0; i < fuzz_targets_count; i++)
        if (name && strcmp(name, fuzz_targets[i].name) == 0) {
            fuzz_one(&fuzz_targets[i], data, size);
            return 0;
        }
    abort();
}
