/* Tests in which half of an L2 cache the model has a line. */
#include "machine/memory/l2_halves.h"
#include "tests/check.h"

#define MANY 5000

int main(void)
{
    check(!l2_halves_load(7, 0) && !l2_halves_load(7, 1), "a line that nobody has written is in both halves");
    l2_halves_store(7, 1);
    check(!l2_halves_load(7, 1), "a written line is in the half of the writer");
    check(l2_halves_load(7, 0), "it must be copied to the other half");
    check(!l2_halves_load(7, 0) && !l2_halves_load(7, 1), "after that both have it");
    l2_halves_store(7, 0);
    check(!l2_halves_load(7, 0) && l2_halves_load(7, 1), "the next store takes it from the other half again");
    l2_halves_atomic(7);
    check(l2_halves_load(7, 0) && l2_halves_load(7, 1), "after an atomic no half has it");
    check(!l2_halves_load(7, 0) && !l2_halves_load(7, 1), "each half copies it once");
    unsigned wrong = 0;
    for (uint64_t line = 100; line < 100 + MANY; line++)
        l2_halves_store(line, line % 2);
    for (uint64_t line = 100; line < 100 + MANY; line++)
        wrong += l2_halves_load(line, line % 2) || !l2_halves_load(line, 1 - line % 2);
    check(!wrong, "each of many lines has its own state (%u do not)", wrong);
    check(!l2_halves_load(8, 0) && !l2_halves_load(0, 0), "lines beside them are as before");
    l2_halves_store(8, 0);
    l2_halves_forget();
    check(!l2_halves_load(8, 1) && !l2_halves_load(100, 0), "forgotten lines are in both halves");
    l2_halves_store(8, 0);
    check(l2_halves_load(8, 1), "and can be written again");
    return checks_done();
}
