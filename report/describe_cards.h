/* Makes a model's cards.json from results of several of its cards (report/cards.h). */
#ifndef REPORT_DESCRIBE_CARDS_H
#define REPORT_DESCRIBE_CARDS_H

#include <cjson/cJSON.h>

/*
 * Compares the first folder with each of the others, which hold results of cards of one model, or of the same
 * card on another day. Returns the contents of cards.json, which the caller deletes. Exits with
 * EXIT_BAD_INPUT if the folders are of different models or have no point in common.
 */
cJSON *cards_describe(char **folders, int count);

#endif
