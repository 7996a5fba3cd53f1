/* The LIST of the command line: "1,2", a range "9-30", a range with a stride "9-30:3", and mixtures
 * of them. */
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

/* Parses positive integers in the order given. Returns NULL, or what is wrong with the text, as the end of a
 * sentence. The caller frees the values. */
const char *parse_int_list(const char *text, struct int_list *out);

#ifdef __cplusplus
}
#endif

#endif
