/* Draws the spread of a fleet's numbers. */
#ifndef REPORT_FLEET_FIGURE_H
#define REPORT_FLEET_FIGURE_H

#include "report/fleet_model.h"

#include <stdio.h>

/* Draws plots/compare-fleet/NAME.svg and .png, where NAME is the model's name in small letters or, if that
 * is no plain name, model-PLACE; names the file in `file`. Returns whether gnuplot could draw it. */
bool draw_model(const struct model *model, size_t place, FILE *file);

#endif
