/* What the parts cost that barriers are made of, in one block and with one block on every
 * multiprocessor. */
#include "report/results.h"
#include "report/tables.h"
#include "report/timing.h"

void print_components(const char *folder, enum form form, FILE *file)
{
    struct result *r = result_need(folder, "micro-components");
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "part, ns");
    table_text(&t, "1 block");
    table_text(&t, "all multiprocessors");
    FOR_EACH_POINT(p, r)
    {
        const char *variant = text_of(p, "variant");
        if (number_of(p, "blocks") != 1)
            continue;
        table_row(&t);
        table_text(&t, "%s", variant);
        table_number(&t, 1e3 * operation_us(r, variant, 1), 2);
        table_number(&t, 1e3 * operation_us(r, variant, r->sms), 2);
    }
    table_print(&t, form, file);
    table_free(&t);
    result_close(r);
}
