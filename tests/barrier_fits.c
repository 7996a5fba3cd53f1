/* Tests the papers' linear fits (micro/barrier/barrier_fits.h) on times that are sums of known parts. */
#include "micro/barrier/barrier_fits.h"
#include "tests/check.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

enum { MULTIPROCESSORS = 30 };

static void add(cJSON *points, const char *variant, double blocks, double threads, double size, double time)
{
    cJSON *p = cJSON_CreateObject();
    cJSON_AddStringToObject(p, "variant", variant);
    cJSON_AddNumberToObject(p, "blocks", blocks);
    cJSON_AddNumberToObject(p, "threads", threads);
    cJSON_AddNumberToObject(p, "size", size);
    cJSON_AddNumberToObject(p, "per_operation", time);
    cJSON_AddItemToArray(points, p);
}

/* The linear parts of the time of a barrier of n blocks. Each part is a different function, so that a fit
 * to the wrong part has a different result. */
static double computation(double n)
{
    return 1000 + n / 10;
}
static double t_a(double n)
{
    return 11 * n + 7;
}
static double t_s(double n)
{
    return 40 + 0.5 * n;
}
static double t_c(double n)
{
    return 300 + 2 * n;
}
static double t_f(double n)
{
    return 70 + 5 * n;
}
static double t_f_leader(double n)
{
    return 55 + 3 * n;
}
static double lock_free(double n)
{
    return 400 + n / 4;
}

static void add_all(cJSON *points, double n, double threads, double size, double more)
{
    double none = computation(n) + more, lock_based = none + t_s(n) + t_a(n) + t_c(n);
    add(points, "none", n, threads, size, none);
    add(points, "atomic-part", n, threads, size, t_a(n) + more);
    add(points, "syncthreads-part", n, threads, size, none + t_s(n));
    add(points, "lock-based", n, threads, size, lock_based);
    add(points, "lock-based-fence-each", n, threads, size, lock_based + t_f(n));
    add(points, "lock-based-fence", n, threads, size, lock_based + t_f_leader(n));
    add(points, "lock-free", n, threads, size, none + lock_free(n));
}

/* Returns whether the fit `name` has the line of the function `part` and was made from this number of
 * points. */
static bool is_line(const cJSON *json, const char *name, double (*part)(double), double points)
{
    const cJSON *fit = cJSON_GetObjectItem(json, name);
    double slope = cJSON_GetNumberValue(cJSON_GetObjectItem(fit, "slope")),
           constant = cJSON_GetNumberValue(cJSON_GetObjectItem(fit, "constant")),
           count = cJSON_GetNumberValue(cJSON_GetObjectItem(fit, "points"));
    return fabs(slope - (part(1) - part(0))) < 1e-6 && fabs(constant - part(0)) < 1e-4 && count == points &&
           fabs(cJSON_GetNumberValue(cJSON_GetObjectItem(fit, "r2")) - 1) < 1e-6;
}

/* Returns the time of a lock-based barrier of n blocks, without the computation (Xiao and Feng 2010,
 * equation 6). */
static double equation_6(double n)
{
    return t_s(n) + t_a(n) + t_c(n);
}

static void check_parts(const cJSON *points, double alone, double differences, const char *name)
{
    cJSON *fits = fit_barrier_times(points, MULTIPROCESSORS);
    const cJSON *section_6 = cJSON_GetObjectItem(fits, "section_6");
    check(is_line(fits, "computation", computation, alone), "%s: the computation's line", name);
    check(is_line(fits, "equation_6", equation_6, differences) &&
              is_line(fits, "equation_7", lock_free, differences),
          "%s: Equations 6 and 7 are what the barriers take beside it", name);
    check(is_line(section_6, "t_a", t_a, alone) && is_line(section_6, "t_s", t_s, differences) &&
              is_line(section_6, "t_c", t_c, differences) && is_line(section_6, "t_f", t_f, differences) &&
              is_line(section_6, "t_f_leader", t_f_leader, differences),
          "%s: section VI's parts are told from each other", name);
    check(cJSON_GetNumberValue(cJSON_GetObjectItem(fits, "threads")) == 64, "%s: the threads are told", name);
    cJSON_Delete(fits);
}

int main(void)
{
    cJSON *points = cJSON_CreateArray();
    for (int n = 1; n <= MULTIPROCESSORS; n++)
        add_all(points, n, 64, 40, 0);
    check_parts(points, MULTIPROCESSORS, MULTIPROCESSORS, "one block a multiprocessor");
    for (int n = 1; n <= MULTIPROCESSORS; n++) {
        add_all(points, n, 128, 40, 5000);
        add_all(points, n, 64, 80, 9000);
        add_all(points, MULTIPROCESSORS + n, 64, 40, 20000);
    }
    check_parts(points, MULTIPROCESSORS, MULTIPROCESSORS, "beside others that do not count");
    cJSON_Delete(points);

    points = cJSON_CreateArray();
    for (int n = 1; n <= MULTIPROCESSORS; n++)
        add_all(points, n, 64, 40, n <= 20 ? 0 : n <= 25 ? 0.09 * computation(1) : 0.11 * computation(1));
    cJSON *fits = fit_barrier_times(points, MULTIPROCESSORS);
    check(is_line(fits, "equation_6", equation_6, 25) && is_line(fits, "equation_7", lock_free, 25),
          "differences are taken where the computation takes at most a tenth longer than at its fastest");
    cJSON_Delete(fits);
    cJSON_Delete(points);

    points = cJSON_CreateArray();
    fits = fit_barrier_times(points, MULTIPROCESSORS);
    check(!cJSON_GetObjectItem(fits, "threads") && cJSON_IsNull(cJSON_GetObjectItem(fits, "computation")),
          "without points there is nothing to fit");
    cJSON_Delete(fits);
    add(points, "lock-based", 3, 64, 40, 100);
    add(points, "lock-based", 4, 64, 40, 110);
    fits = fit_barrier_times(points, MULTIPROCESSORS);
    check(cJSON_IsNull(cJSON_GetObjectItem(fits, "equation_6")) &&
              cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetObjectItem(fits, "section_6"), "t_f")),
          "nor where a term is missing");
    cJSON_Delete(fits);
    cJSON_Delete(points);
    return checks_done();
}
