#include "base/list.h"
#include "base/memory.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST 100000 /* largest number of values in a list */

static bool parse_number(const char **text, int *out)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    long value = strtol(*text, &end, 10);
    if (value < 1 || value > INT_MAX)
        return false;
    *text = end;
    *out = (int)value;
    return true;
}

/* Adds a value to the list. Returns NULL, or a text that says what is wrong. */
static const char *append(struct int_list *list, int value)
{
    if (list->count == MOST)
        return "has more than 100,000 numbers";
    list->values = with_room(list->values, sizeof *list->values, list->count, 1);
    list->values[list->count++] = value;
    return NULL;
}

static const char *append_part(const char **text, struct int_list *list)
{
    static const char *const no_number = "has something else where a number from 1 to 2147483647 must be";
    const char *wrong = NULL;
    int first, last, stride = 1;
    if (!parse_number(text, &first))
        return no_number;
    last = first;
    if (**text == '-') {
        ++*text;
        if (!parse_number(text, &last))
            return no_number;
        if (last < first)
            return "has a range that ends before it begins";
        if (**text == ':') {
            ++*text;
            if (!parse_number(text, &stride))
                return no_number;
        }
    }
    for (long value = first; !wrong && value <= last; value += stride)
        wrong = append(list, (int)value);
    return wrong;
}

const char *parse_int_list(const char *text, struct int_list *out)
{
    const char *wrong;
    *out = (struct int_list){NULL, 0};
    for (;;) {
        wrong = append_part(&text, out);
        if (!wrong && !*text)
            return NULL;
        if (!wrong && *text != ',')
            wrong = "has something between its numbers that is no comma";
        if (wrong)
            break;
        text++;
    }
    free(out->values);
    *out = (struct int_list){NULL, 0};
    return wrong;
}
