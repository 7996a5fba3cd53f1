#include "micro/litmus/litmus_classic.h"

#include <stdio.h>
#include <string.h>

/*
 * The classic tests as text. Threads are separated by |, accesses by spaces: Wx1 writes 1 to x, Rx reads x
 * into a register of that name, Rxb into a register named b. Between two accesses of a thread, the form of
 * the test inserts its fence.
 */
static const struct {
    const char *name, *code, *condition;
} classics[] = {
    {"mp", "Wx1 Wy1 | Ry Rx", "1:y == 1 /\\ 1:x == 0"},
    {"sb", "Wx1 Ry | Wy1 Rx", "0:y == 0 /\\ 1:x == 0"},
    {"lb", "Ry Wx1 | Rx Wy1", "0:y == 1 /\\ 1:x == 1"},
    {"s", "Wx2 Wy1 | Ry Wx1", "1:y == 1 /\\ x == 2"},
    {"r", "Wx1 Wy1 | Wy2 Rx", "1:x == 0 /\\ y == 2"},
    {"2+2w", "Wx1 Wy2 | Wy1 Wx2", "x == 1 /\\ y == 1"},
    {"iriw", "Wx1 | Wy1 | Rx Ry | Ry Rx", "2:x == 1 /\\ 2:y == 0 /\\ 3:y == 1 /\\ 3:x == 0"},
    {"wrc", "Wx1 | Rx Wy1 | Ry Rx", "1:x == 1 /\\ 2:y == 1 /\\ 2:x == 0"},
    {"isa2", "Wx1 Wy1 | Ry Wz1 | Rz Rx", "1:y == 1 /\\ 2:z == 1 /\\ 2:x == 0"},
    {"rwc", "Wx1 | Rx Ry | Wy1 Rx", "1:x == 1 /\\ 1:y == 0 /\\ 2:x == 0"},
    {"corr", "Wx1 | Rx Rxb", "1:x == 1 /\\ 1:b == 0"},
    {"coww", "Wx1 Wx2", "x == 1"},
    {"cowr", "Wx1 Rx | Wx2", "0:x == 2 /\\ x == 1"},
    {"corw", "Rx Wx1 | Wx2", "0:x == 2 /\\ x == 2"},
};
const int litmus_classic_count = sizeof classics / sizeof *classics;

static const struct form {
    const char *name;
    enum machine_scope access; /* scope of the accesses; SCOPE_THREAD means weak accesses */
    enum machine_scope fence;  /* scope of the fence; SCOPE_THREAD means that there is none */
    enum machine_order order;  /* order of the fence */
    /* Scope at which a last write releases and a first read acquires, in a thread with two accesses;
     * SCOPE_THREAD means that they do neither. */
    enum machine_scope released;
    bool same_block;
} forms[] = {
    {.name = "weak"},
    {.name = "weak,same-block", .same_block = true},
    {.name = "relaxed", .access = SCOPE_DEVICE},
    {.name = "relaxed+acq_rel.cta",
     .access = SCOPE_DEVICE,
     .fence = SCOPE_BLOCK,
     .order = ORDER_ACQUIRE_RELEASE},
    {.name = "relaxed+acq_rel",
     .access = SCOPE_DEVICE,
     .fence = SCOPE_DEVICE,
     .order = ORDER_ACQUIRE_RELEASE},
    {.name = "relaxed+sc.cta", .access = SCOPE_DEVICE, .fence = SCOPE_BLOCK, .order = ORDER_SEQUENTIAL},
    {.name = "relaxed+sc", .access = SCOPE_DEVICE, .fence = SCOPE_DEVICE, .order = ORDER_SEQUENTIAL},
    {.name = "weak+sc", .fence = SCOPE_DEVICE, .order = ORDER_SEQUENTIAL},
    {.name = "release-acquire", .access = SCOPE_DEVICE, .released = SCOPE_DEVICE},
    {.name = "release-acquire.cta", .access = SCOPE_DEVICE, .released = SCOPE_BLOCK},
    {.name = "relaxed.cta+acq_rel.cta,same-block",
     .access = SCOPE_BLOCK,
     .fence = SCOPE_BLOCK,
     .order = ORDER_ACQUIRE_RELEASE,
     .same_block = true},
    {.name = "relaxed.cta+acq_rel",
     .access = SCOPE_BLOCK,
     .fence = SCOPE_DEVICE,
     .order = ORDER_ACQUIRE_RELEASE},
};
const int litmus_form_count = sizeof forms / sizeof *forms;

const char *litmus_classic_name(int classic)
{
    return classics[classic].name;
}

static int location_of(struct litmus *test, char name)
{
    for (int l = 0; l < test->location_count; l++)
        if (test->locations[l][0] == name)
            return l;
    test->locations[test->location_count][0] = name;
    return test->location_count++;
}

static void add_access(struct litmus *test, struct litmus_thread *thread, const char *word,
                       const struct form *form, bool is_first, bool is_alone)
{
    struct litmus_instruction i = {
        .location = location_of(test, word[1]), .destination = -1, .scope = form->access};
    bool writes = word[0] == 'W';
    i.kind = writes ? LITMUS_STORE : LITMUS_LOAD;
    if (writes)
        i.a.value = word[2] - '0';
    else
        thread->registers[i.destination = thread->register_count++][0] = word[2] == 'b' ? 'b' : word[1];
    if (form->released && !is_alone && writes != is_first) {
        i.scope = form->released;
        i.order = writes ? ORDER_RELEASE : ORDER_ACQUIRE;
    }
    thread->code[thread->count++] = i;
}

static void add_thread(struct litmus *test, const char *code, const struct form *form)
{
    struct litmus_thread *thread = &test->threads[test->thread_count];
    thread->block = form->same_block ? 0 : test->thread_count;
    char words[2][4] = {"", ""};
    int count = sscanf(code, "%3s %3s", words[0], words[1]);
    bool is_alone = count < 2 || words[1][0] == '|';
    add_access(test, thread, words[0], form, true, is_alone);
    if (!is_alone && form->fence)
        thread->code[thread->count++] = (struct litmus_instruction){.kind = LITMUS_FENCE,
                                                                    .location = -1,
                                                                    .destination = -1,
                                                                    .scope = form->fence,
                                                                    .order = form->order};
    if (!is_alone)
        add_access(test, thread, words[1], form, false, false);
    test->thread_count++;
}

void litmus_make_classic(int classic, int form, struct litmus *out)
{
    *out = (struct litmus){.quantifier = LITMUS_EXISTS};
    snprintf(out->name, sizeof out->name, "%s+%s", classics[classic].name, forms[form].name);
    snprintf(out->condition, sizeof out->condition, "%s", classics[classic].condition);
    for (const char *code = classics[classic].code; code;
         code = strchr(code, '|') ? strchr(code, '|') + 1 : NULL)
        add_thread(out, code, &forms[form]);
}
