#include "base/list.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#define MOST 100000

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

static bool append(struct int_list *list, int value)
{
    if (list->count == MOST)
        return false;
    /* The capacity is the next power of two. */
    if ((list->count & (list->count - 1)) == 0) {
        int *values = realloc(list->values, (list->count ? 2 * list->count : 1) * sizeof *values);
        if (!values)
            return false;
        list->values = values;
    }
    list->values[list->count++] = value;
    return true;
}

static bool append_part(const char **text, struct int_list *list)
{
    int first, last, stride = 1;
    if (!parse_number(text, &first))
        return false;
    last = first;
    if (**text == '-') {
        ++*text;
        if (!parse_number(text, &last) || last < first)
            return false;
        if (**text == ':') {
            ++*text;
            if (!parse_number(text, &stride))
                return false;
        }
    }
    for (long value = first; value <= last; value += stride)
        if (!append(list, (int)value))
            return false;
    return true;
}

bool parse_int_list(const char *text, struct int_list *out)
{
    *out = (struct int_list){NULL, 0};
    for (;;) {
        if (!append_part(&text, out))
            break;
        if (!*text)
            return true;
        if (*text++ != ',')
            break;
    }
    free(out->values);
    *out = (struct int_list){NULL, 0};
    return false;
}
