/* What the program uses whose time the machine does not model, so that its prediction says more than it
 * knows. */
#ifndef CHECK_NOT_MODELLED_H
#define CHECK_NOT_MODELLED_H

#include "machine/machine.h"

struct not_modelled {
    struct machine_uses uses;
    double moved; /* the most bytes that one launch has moved through L2 */
    double held;  /* the size of all arrays at that launch */
};

/* Called in the program's process after each launch. */
void not_modelled_note(struct not_modelled *into);

/* Prints one line that names all that is not modelled and that the program uses, and nothing if there is
 * nothing. */
void not_modelled_print(const struct not_modelled *of, const char *device);

#endif
