/* The words of a litmus test's text, for the program's reader and for that of its condition. */
#ifndef MICRO_LITMUS_WORDS_H
#define MICRO_LITMUS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Ends litmus_parse, which returns this message. */
void __attribute__((noreturn, format(printf, 1, 2))) litmus_refuse(const char *format, ...);

/* Copies the text between two positions, without spaces around it. */
void litmus_cut(const char *from, const char *to, char *out, size_t size);

bool litmus_is_number(const char *text);

/* Splits "P3:r1" or "3:r1" into the thread's number, which it returns, and the name. Returns -1 if the text
 * has another form. */
int litmus_thread_and_name(const char *text, const char **name);

#endif
