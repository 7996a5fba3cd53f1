/* Functions about the text of a litmus test, for the reader of its program and the reader of its
 * condition. */
#ifndef MICRO_LITMUS_WORDS_H
#define MICRO_LITMUS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Refuses the test: ends litmus_parse, which returns this message. */
void __attribute__((noreturn, format(printf, 1, 2))) litmus_refuse(const char *format, ...);

/* Copies to `out` the text from `from` to `to`, without the spaces around it. */
void litmus_cut(const char *from, const char *to, char *out, size_t size);

bool litmus_is_number(const char *text);

/* Splits "P3:r1" or "3:r1" into the thread's number, which it returns, and the name. Returns -1 if the text
 * has another form. */
int litmus_thread_and_name(const char *text, const char **name);

#endif
