/* The names and texts of the CUDA runtime's errors (CUDA Runtime API, "Data types used by CUDA Runtime"). */
#include "machine/ptx/abi.h"

#include <stddef.h>

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ROW(number, name, text) {number, #name, text},
#include "machine/ptx/errors.def"
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *machine_error_text(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].text;
    return "unrecognized error code";
}
