/* The questions under which a device's page puts its figures and tables, in the order of the page. */
#ifndef REPORT_QUESTIONS_H
#define REPORT_QUESTIONS_H

#include <stddef.h>

struct question {
    const char *name; /* the name of the question in the rows of figures and tables */
    const char *text; /* a sentence */
};
extern const struct question questions[];
extern const size_t questions_count;

/* The text of the question of this name, or "Others" if there is none. */
const char *question_text(const char *name);

#endif
