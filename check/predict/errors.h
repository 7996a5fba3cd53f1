/* The errors of the blind predictions of blind/README.md: how far predictions were from measurements. */
#ifndef CHECK_PREDICT_ERRORS_H
#define CHECK_PREDICT_ERRORS_H

struct prediction_error {
    const char *device;
    double low, high; /* 80 % of the measured times were between these multiples of their predictions */
    int points;
    int inside; /* number of points inside the interval that results from the points of all other programs */
    /* 80 % of the measured ratios of two points of one program were between 1 / factor and factor times the
     * predicted ratio; 0 if there are no pairs */
    double factor;
    int pairs;
};

/* Returns the error for the preset, or NULL if no blind prediction for it has been measured. The build makes
 * this function from the tables in blind/ (scripts/embed-errors). */
const struct prediction_error *prediction_error(const char *device);

#endif
