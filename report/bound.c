#include "report/bound.h"
#include "base/failure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double term_value(const char *term, struct bound_setting s)
{
    const struct {
        const char *term;
        double value;
    } terms[] = {
        {"n/w", s.n / s.w},
        {"n/w log w", s.n / s.w * log2(s.w)},
        {"n l/p", s.n * s.l / s.p},
        {"l log n", s.l * log2(s.n)},
        {"log (n/w)", log2(s.n / s.w)},
        {"log n / log w", log2(s.n) / log2(s.w)},
        {"log l / log w", log2(s.l) / log2(s.w)},
        {"log log w", log2(log2(s.w))},
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (strcmp(terms[i].term, term) == 0)
            return terms[i].value;
    fail(EXIT_BAD_INPUT, "a bound has the term \"%s\", which is not known", term);
}

double bound_value(const cJSON *terms, struct bound_setting setting)
{
    double sum = 0;
    const cJSON *term;
    cJSON_ArrayForEach(term, terms) sum += term_value(cJSON_IsString(term) ? term->valuestring : "", setting);
    return sum;
}

const char *bound_text(const cJSON *terms, char *text, size_t bytes)
{
    size_t length = 0;
    const cJSON *term;
    snprintf(text, bytes, "0");
    cJSON_ArrayForEach(term, terms) if (cJSON_IsString(term) && length < bytes) length +=
        (size_t)snprintf(text + length, bytes - length, "%s%s", length ? " + " : "", term->valuestring);
    return text;
}
