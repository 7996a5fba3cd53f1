/* The values of an experiment's own options, checked. */
#ifndef HARNESS_EXTRA_OPTIONS_H
#define HARNESS_EXTRA_OPTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The option `name` as a whole number from `least` to `most`; exits with EXIT_BAD_INPUT for anything else. */
int read_whole_number(const char *name, int least, int most);

/* Which of the choices, comma-separated, the option `name` is, counted from 0; exits with EXIT_BAD_INPUT if
 * none. */
int read_choice(const char *name, const char *choices);

#ifdef __cplusplus
}
#endif

#endif
