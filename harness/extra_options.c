#include "harness/extra_options.h"
#include "harness/experiment.h"
#include "harness/failure.h"

#include <stdlib.h>
#include <string.h>

int read_whole_number(const char *name, int least, int most)
{
    const char *text = experiment_option(name);
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || end == text || value < least || value > most)
        fail(EXIT_BAD_INPUT, "--%s must be a whole number from %d to %d, not \"%s\"", name, least, most,
             text);
    return (int)value;
}

int read_choice(const char *name, const char *choices)
{
    const char *text = experiment_option(name), *at = choices;
    for (int i = 0; *at; i++) {
        size_t length = strcspn(at, ",");
        if (strlen(text) == length && strncmp(text, at, length) == 0)
            return i;
        at += length + (at[length] == ',');
    }
    fail(EXIT_BAD_INPUT, "--%s must be one of %s, not \"%s\"", name, choices, text);
}
