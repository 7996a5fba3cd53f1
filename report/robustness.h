/* Makes robustness.json, which says how robust the verdicts on claims are (report/robustness.h), and
 * cards.json. */
#ifndef REPORT_DESCRIBE_ROBUSTNESS_H
#define REPORT_DESCRIBE_ROBUSTNESS_H

#include "report/verdict.h"

#include <cjson/cJSON.h>

/*
 * Returns the contents of robustness.json, which the caller deletes. Each of the folders WORK/0, WORK/1, ...
 * is a draw. It holds a machine's description whose constants were drawn at random (preset.json), and this
 * machine's results in a folder named like `folder`. The folder WORK/undrawn holds results of the machine
 * with its own constants, at the same few points as a draw (scripts/robustness).
 *
 * A claim is described if it has the same verdict in `folder` and in WORK/undrawn. Its description has the
 * number of draws in which the claim could be judged, and the number of draws in which it has this verdict.
 * If the two numbers differ, the description also names the constant that decides. This is the constant whose
 * mean logarithm differs most, in standard errors, between the draws with this verdict and the others. No
 * constant is named if the difference may be chance.
 */
cJSON *robustness_describe(const char *folder, const char *work);

/* Returns the claims whose verdict differs between the first folder and another one, all of which hold
 * results of cards of one model. Each claim has its verdicts in the order of the folders, with null for a
 * folder whose results cannot tell. The caller deletes it. */
cJSON *robustness_of_cards(char **folders, int count);

/* Returns the contents of cards.json (report/cards.h), which the caller deletes. Compares the first folder
 * with each of the others, which hold results of other cards of the same GPU model, or of the same card on
 * another day. Exits with EXIT_BAD_INPUT if the folders are of different models or have no point in
 * common. */
cJSON *cards_describe(char **folders, int count);

struct robustness {
    const cJSON *draws; /* contents of FOLDER/robustness.json, or NULL if the file is absent */
    const cJSON *cards; /* contents of FOLDER/cards.json, or NULL if the file is absent */
};
struct robustness robustness_of(const char *folder);

/*
 * Returns what these files say about the claim's present verdict, as a made text (report/table.h): "64 of 64
 * draws", "60 of 64 draws (launch_block decides)", "not varied (draws have 9, 30 blocks)", "another card:
 * reversed", or "" if they say nothing, or speak of another verdict because results or claims have changed
 * since.
 */
const char *robustness_text(const struct robustness *robustness, const cJSON *claim,
                            enum claim_verdict verdict);

#endif
