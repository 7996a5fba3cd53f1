/*
 * Reads a preprocessed CUDA program from standard input, and writes it as C++ for the memory machine to
 * standard output: rewrites built-in variables, launches, variables of shared memory, and inline PTX.
 * Everything else stays as it is, and every line keeps its number. With --rules it also writes what the
 * checks of machine/engine/rules.h need. Code that cannot be read is an error which names its line; the exit
 * status is then EXIT_BAD_INPUT.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "check/rewrite/rewriting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t length = 0, got;
    do {
        text = with_room(text, 1, length, 65537);
        got = fread(text + length, 1, 65536, file);
        length += got;
    } while (got);
    text[length] = '\0';
    return text;
}

int main(int argc, char **argv)
{
    set_program_name("gpusync-check");
    char *preprocessed = read_all(stdin);
    rewrite_program(preprocessed, argc == 2 && strcmp(argv[1], "--rules") == 0);
    finish_output();
    free(preprocessed);
    return EXIT_VERIFIED;
}
