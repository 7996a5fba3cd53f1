/* How robust a verdict is: in how many draws of a model's constants, inputs and schedules a claim has it,
 * and whether another card of a GPU's model has it, too. */
#ifndef REPORT_ROBUSTNESS_H
#define REPORT_ROBUSTNESS_H

#include <cjson/cJSON.h>

struct robustness {
    cJSON *draws; /* FOLDER/robustness.json, or NULL if it is absent */
    cJSON *cards; /* FOLDER/cards.json, or NULL if it is absent */
};
struct robustness robustness_open(const char *folder);
void robustness_close(struct robustness *robustness);

/* Writes what the files say of the claim: "64 of 64 draws", "60 of 64 draws (launch_block decides)", "another
 * card: reversed", or "" if they say nothing. Returns `text`. */
const char *robustness_text(const struct robustness *robustness, const cJSON *claim, char *text,
                            size_t bytes);

#endif
