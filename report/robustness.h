/* How sure a verdict is: in how many draws of a model's constants, inputs and schedules a claim has it, and whether
 * another card of a GPU's model has it, too. */
#ifndef REPORT_ROBUSTNESS_H
#define REPORT_ROBUSTNESS_H

#include <cjson/cJSON.h>

/*
 * WORK/0, WORK/1, ... each hold a description that was drawn (preset.json) and results of its machine in a folder named as
 * `folder` (scripts/robustness), and WORK/undrawn the same of the description as it is. Describes, for each claim that has
 * one verdict in `folder` and in WORK/undrawn, whose points are fewer, how many draws could be judged and how many of them
 * have this verdict. If not all do, also which constant decides: whose logarithm is farthest apart
 * between draws with that verdict and draws with another, in standard errors, if that is more than chance. To be deleted.
 */
cJSON *robustness_describe(const char *folder, const char *work);

/* The claims that have another verdict in one of these folders of cards of one model than in the first, each with its
 * verdicts in order, null where a folder's results cannot tell. To be deleted. */
cJSON *robustness_of_cards(char **folders, int count);

/* What folder/robustness.json and folder/cards.json say, each NULL where it is not there. */
struct robustness {
    cJSON *draws, *cards;
};
struct robustness robustness_open(const char *folder);
void robustness_close(struct robustness *robustness);

/* What they say of the claim: "64 of 64 draws", "60 of 64 draws (launch_block decides)", "another card: reversed"; "":
 * nothing. Returns text. */
const char *robustness_text(const struct robustness *robustness, const cJSON *claim, char *text,
                            size_t bytes);

#endif
