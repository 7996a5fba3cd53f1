#include "sum/numbers.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const char *text, enum number_type type, struct number *out)
{
    const long long low = type == INT32 ? INT32_MIN : LLONG_MIN, high = type == INT32 ? INT32_MAX : LLONG_MAX;
    long long whole = 0;
    float single = 0;
    *out = (struct number){0, 0};
    if (type == DOUBLE)
        return parse_double(text, &out->real);
    if (type == FLOAT) {
        bool good = parse_float(text, &single);
        out->real = (double)single;
        return good;
    }
    bool good = parse_whole(text, low, high, &whole);
    out->whole = (uint64_t)whole;
    return good;
}

/* Cuts blanks off the end of `text` and returns the address of its first character that is not a blank. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length && strchr(" \t", text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

void read_numbers(const char *path, enum number_type type, struct numbers *out)
{
    struct lines lines = lines_open(path);
    *out = (struct numbers){.type = type};
    for (; lines_next(&lines); out->count++) {
        if (out->count == MOST_NUMBERS)
            fail(EXIT_BAD_INPUT, "%s: more than %d numbers", path, MOST_NUMBERS);
        out->items = with_room(out->items, sizeof *out->items, out->count, 1);
        if (!parse_number(trimmed(lines.text), type, &out->items[out->count]))
            fail(EXIT_BAD_INPUT, "%s:%zu: not a number of this type", path, lines.number);
    }
    lines_close(&lines);
    if (!out->count)
        fail(EXIT_BAD_INPUT, "%s: there is no number in it", path);
}

void generate_numbers(unsigned count, enum number_type type, unsigned long long seed, struct numbers *out)
{
    struct random random = {seed};
    *out = (struct numbers){allocate(count * sizeof *out->items), count, type};
    for (unsigned i = 0; i < count; i++) {
        uint64_t bits = random_next(&random);
        out->items[i] = (struct number){is_real(type) ? 0 : bits, real_number(bits, type)};
    }
}
