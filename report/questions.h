/* The questions under which a device's page puts its figures and tables, in the order of the page. */
#ifndef REPORT_QUESTIONS_H
#define REPORT_QUESTIONS_H

#include <stddef.h>

struct question {
    const char *name; /* the name by which rows of figures and tables refer to the question */
    const char *text; /* a sentence */
};
extern const struct question questions[];
extern const size_t questions_count;

/* Returns the text of the question with this name, or "Others" if there is none. */
const char *question_text(const char *name);

#endif
