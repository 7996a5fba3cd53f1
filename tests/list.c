/* Tests the reader of lists of numbers on the command line, such as 1,2,9-30:3 (base/list.h). */
#include "base/list.h"
#include "tests/check.h"

#include <stdlib.h>

static bool equals(const char *text, const int *expected, size_t count)
{
    struct int_list list;
    if (parse_int_list(text, &list))
        return false;
    bool same = list.count == count;
    for (size_t i = 0; same && i < count; i++)
        same = list.values[i] == expected[i];
    free(list.values);
    return same;
}

static bool refused(const char *text)
{
    struct int_list list;
    bool parsed = !parse_int_list(text, &list);
    free(list.values);
    return !parsed && !list.values && !list.count;
}

int main(void)
{
    const int pair[] = {3, 1}, range[] = {9, 10, 11}, stride[] = {9, 12, 15}, mixed[] = {1, 4, 5, 8, 11};
    check(equals("3,1", pair, 2), "a list a,b keeps its order");
    check(equals("9-11", range, 3), "a range has both ends");
    check(equals("3-3", pair, 1), "a range may be one number");
    check(equals("9-16:3", stride, 3), "a stride stops at or before the end");
    check(equals("1,4-5,8-11:3", mixed, 5), "a list may mix numbers and ranges");
    static const char *const wrong[] = {"",    "0",     "-3", "1,",   ",1",          "5-3",     "1-",
                                        "1:2", "1-5:0", "a",  "1 ,2", "99999999999", "1-200001"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(refused(wrong[i]), "\"%s\" is no list", wrong[i]);
    struct int_list most;
    check(!parse_int_list("1-100000", &most) && most.count == 100000 && most.values[99999] == 100000,
          "100,000 numbers are a list");
    free(most.values);
    check(refused("1-100001") && refused("1-99999,5,6"), "a list of more than 100,000 numbers is refused");
    return checks_done();
}
