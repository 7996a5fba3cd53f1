/* Makes the cards.json of a GPU model from the results of several cards (report/cards.h). */
#ifndef REPORT_DESCRIBE_CARDS_H
#define REPORT_DESCRIBE_CARDS_H

#include <cjson/cJSON.h>

/* Returns the contents of cards.json, which the caller deletes. Compares the first folder with each of the
 * others, which hold results of other cards of the same GPU model, or of the same card on another day. Exits
 * with EXIT_BAD_INPUT if the folders are of different models or have no point in common. */
cJSON *cards_describe(char **folders, int count);

#endif
