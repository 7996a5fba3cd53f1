#include "report/styles.h"
#include "harness/methods.h"

#include <stddef.h>
#include <string.h>

/* The styles of the variants that are no methods of harness/methods.def, from the rows "style" of the rooms'
 * tables.txt. */
static const struct {
    const char *variant;
    struct style style;
} others[] = {
#include "style_rows.h"
};

static const struct style *find(const char *name, size_t length)
{
    static struct style found;
    for (size_t i = 0; i < SYNC_METHODS; i++)
        if (strlen(sync_variants[i].name) == length && strncmp(sync_variants[i].name, name, length) == 0) {
            found = (struct style){sync_methods[i].color, sync_methods[i].point};
            return &found;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].variant) == length && strncmp(others[i].variant, name, length) == 0)
            return &others[i].style;
    return NULL;
}

struct style style_of(const char *variant)
{
    const struct style *style = find(variant, strlen(variant));
    const char *plus = strrchr(variant, '+');
    /* A variant NAME+METHOD whose NAME contains "-" (sum-tree+counter) gets the style of NAME, because its
     * figure compares algorithms. Any other one (shuffle+counter) gets the style of METHOD. */
    if (!style && plus && strchr(variant, '-') && strchr(variant, '-') < plus)
        style = find(variant, (size_t)(plus - variant));
    if (!style && plus)
        style = find(plus + 1, strlen(plus + 1));
    return style ? *style : (struct style){"#1f77b4", 1};
}
