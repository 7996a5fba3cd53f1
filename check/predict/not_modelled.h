/* Notes features that the program uses and whose time the machine does not model. They make a prediction less
 * certain than its error suggests. */
#ifndef CHECK_NOT_MODELLED_H
#define CHECK_NOT_MODELLED_H

#include "machine/machine.h"

struct not_modelled {
    struct machine_uses uses;
    double moved; /* the largest number of bytes that one launch moved through L2 */
    double held;  /* the size of all arrays at that launch */
};

/* Notes which of these features the program has used so far. Called in the program's process after each
 * launch. */
void not_modelled_note(struct not_modelled *into);

/* Prints one line that names the features which are used but not modelled. Prints nothing if there are
 * none. */
void not_modelled_print(const struct not_modelled *of, const char *device);

#endif
