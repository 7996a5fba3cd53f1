#include "sum/numbers.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool is_real(enum number_type type)
{
    return type == FLOAT || type == DOUBLE;
}

static struct number parse_number(const char *path, size_t line, enum number_type type, const char *text)
{
    char *end;
    struct number number = {0, 0};
    errno = 0;
    if (is_real(type))
        number.real = strtod(text, &end);
    else
        number.whole = (uint64_t)strtoll(text, &end, 10);
    bool found = end != text;
    end += strspn(end, " \t\r\n");
    if (*end || errno || !found)
        fail(EXIT_BAD_INPUT, "%s:%zu: not a number of this type", path, line);
    return number;
}

void read_numbers(const char *path, enum number_type type, struct numbers *out)
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be read", path);
    *out = (struct numbers){.type = type};
    char *line = NULL;
    size_t capacity = 0;
    for (; getline(&line, &capacity, file) >= 0; out->count++) {
        if (out->count == MOST_NUMBERS)
            fail(EXIT_BAD_INPUT, "%s: more than %d numbers", path, MOST_NUMBERS);
        out->items = with_room(out->items, sizeof *out->items, out->count, 1);
        out->items[out->count] = parse_number(path, out->count + 1, type, line);
    }
    free(line);
    fclose(file);
    if (!out->count)
        fail(EXIT_BAD_INPUT, "%s: there is no number in it", path);
}

void generate_numbers(unsigned count, enum number_type type, unsigned long long seed, struct numbers *out)
{
    struct random random = {seed};
    *out = (struct numbers){allocate(count * sizeof *out->items), count, type};
    for (unsigned i = 0; i < count; i++) {
        uint64_t bits = random_next(&random);
        out->items[i] = (struct number){is_real(type) ? 0 : bits, (double)(bits % 8)};
    }
}

bool is_right(enum number_type type, const struct number *value, const struct number *expected)
{
    if (type == INT32)
        return (uint32_t)value->whole == (uint32_t)expected->whole;
    if (type == INT64)
        return value->whole == expected->whole;
    return fabs(value->real - expected->real) <= (type == FLOAT ? 1e-5 : 1e-12) * fabs(expected->real);
}
