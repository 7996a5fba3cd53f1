/* Reads a LIST of the command line: numbers "1,2", a range "9-30", a range with a stride "9-30:3", or several
 * of these, separated by commas. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct int_list {
    int *values;
    size_t count;
};

/* Parses a LIST of positive integers and keeps their order. Returns NULL, or an error text that completes a
 * sentence beginning with the LIST. The caller frees the values. */
const char *parse_int_list(const char *text, struct int_list *out);

#ifdef __cplusplus
}
#endif

#endif
