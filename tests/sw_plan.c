/* Tests the plan that orders alignment tasks for the kernels: every task has one place in the order, each
 * part of the plan has its own letters, and the blocked kernel gets only tasks that it can do. */
#include "swat/batch/plan.h"
#include "base/memory.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static bool each_has_a_place(const struct sw_tasks *t, const struct sw_plan *plan)
{
    bool good = true, *taken = allocate(t->task_count * sizeof *taken);
    for (size_t i = 0; i < t->task_count && good; i++) {
        good = plan->place[i] < t->task_count && !taken[plan->place[i]];
        taken[plan->place[i]] = true;
    }
    free(taken);
    return good;
}

static bool within(size_t at, int length, size_t first, size_t count)
{
    return at >= first && at + (size_t)length <= first + count;
}

/* Returns whether this part of the plan contains the places and letters of all its tasks, with the tasks
 * that the blocked kernel can do first. */
static bool part_is_whole(const struct sw_tasks *t, const struct sw_plan *plan, const struct sw_part *part)
{
    const struct sw_batch *r = &part->range;
    for (size_t i = r->first; i < r->first + r->tasks; i++) {
        const struct sw_task *task = &t->tasks[i];
        bool blocked = plan->place[i] < r->first + part->blocked;
        if (!within(plan->place[i], 1, r->first, r->tasks) || blocked != blocked_can_do(t, task) ||
            !within(task->reference_at, task->reference_length, r->letter_at, r->letters) ||
            !within(task->alternate_at, task->alternate_length, r->letter_at, r->letters))
            return false;
    }
    return true;
}

/* Returns whether all parts of the plan are whole and follow each other without overlap, so that nothing
 * is copied twice. */
static bool parts_are_whole(const struct sw_tasks *t, const struct sw_plan *plan)
{
    size_t task = 0, letter = 0;
    bool good = true;
    for (size_t p = 0; p < plan->part_count; p++) {
        const struct sw_batch *r = &plan->parts[p].range;
        good &= part_is_whole(t, plan, &plan->parts[p]) && r->first == task && r->letter_at == letter &&
                r->tasks <= MOST_OF_PART;
        task += r->tasks;
        letter += r->letters;
    }
    return good && task == t->task_count && letter == t->letter_count;
}

/* Returns an array of the tasks in the order that the plan gives them. The caller frees the array. */
static const struct sw_task **in_places(const struct sw_tasks *t, const struct sw_plan *plan)
{
    const struct sw_task **placed = allocate(t->task_count * sizeof *placed);
    for (size_t i = 0; i < t->task_count; i++)
        placed[plan->place[i]] = &t->tasks[i];
    return placed;
}

static bool largest_first(const struct sw_tasks *t, const struct sw_plan *plan)
{
    const struct sw_part *part = &plan->parts[0];
    const struct sw_task **placed = in_places(t, plan);
    bool good = true;
    for (size_t n = 1; n < part->blocked; n++) {
        int before = blocked_rows_a_lane(placed[n - 1]->reference_length, 16),
            rows = blocked_rows_a_lane(placed[n]->reference_length, 16);
        good &= before > rows ||
                (before == rows && placed[n - 1]->alternate_length >= placed[n]->alternate_length);
    }
    free(placed);
    return good;
}

/* Returns whether a warp's memory has room for its tasks `a` and `b`. Each of them gets as much memory as if
 * it had the longer of their sequences. For a warp with one task, `a` and `b` are the same. */
static bool have_room(const struct sw_task *a, const struct sw_task *b, int lanes, struct blocked_room room)
{
    int rows = a->reference_length > b->reference_length ? a->reference_length : b->reference_length,
        columns = a->alternate_length > b->alternate_length ? a->alternate_length : b->alternate_length;
    struct blocked_shape shape = {lanes, blocked_rows_a_lane(rows, lanes), columns};
    size_t tasks = 32 / (size_t)lanes;
    return tasks * blocked_shared_bytes(shape, room.letters) <= room.shared_bytes &&
           tasks * blocked_back_words(shape) <= room.back_words &&
           rows <= lanes * (lanes == 16 ? BLOCKED_MOST_ROWS_A_LANE : BLOCKED_MOST_ROWS_OF_WARP);
}

/* Checks that each warp has room for its tasks, and that all tasks that the blocked kernel can do are in
 * warps. If `narrow` is set, some warps must have two tasks. */
static void test_warps(size_t size, size_t warps, bool narrow, unsigned long long seed)
{
    struct sw_tasks tasks;
    struct sw_plan plan;
    sw_generate_tasks(size, 1, (struct length_range){1, 700}, (struct length_range){1, 300},
                      (struct sw_scores){200, -150, -260, -11}, OVERHANG_SOFTCLIP, seed, &tasks);
    sw_make_plan(&tasks, (struct sw_manner){true, 0, warps}, &plan);
    const struct sw_part *part = &plan.parts[0];
    const struct sw_task **placed = in_places(&tasks, &plan);
    bool good = true;
    size_t n = 0, count = 0, too_long = 0;
    for (size_t i = 0; i < part->blocked; i++)
        too_long += blocked_rows_a_lane(placed[i]->reference_length, 16) > BLOCKED_MOST_ROWS_A_LANE;
    check(part->wide == too_long && too_long > 0,
          "the %zu tasks that are too long for half a warp come first", too_long);
    for (; n < part->wide; n++, count++)
        good &= have_room(placed[n], placed[n], 32, plan.room);
    for (; n < part->wide + part->narrow; n += 2, count++)
        good &= have_room(placed[n], placed[n + 1], 16, plan.room);
    for (; n < part->blocked; n++, count++)
        good &= have_room(placed[n], placed[n], 32, plan.room);
    check(good && n == part->blocked && count == sw_part_warps(part),
          "warps have room for the %zu tasks of %zu that they share", part->narrow, size);
    check(narrow == (part->narrow > 0), "with %zu warps, tasks share one only if there are many", warps);
    free(placed);
    sw_free_plan(&plan);
    sw_free_tasks(&tasks);
}

/* Checks that a batch of too many cells is divided into parts of at most MOST_CELLS_OF_PART cells. */
static void test_cells(void)
{
    struct sw_tasks tasks;
    struct sw_plan plan;
    sw_generate_tasks(30000, 1, (struct length_range){500, 500}, (struct length_range){300, 300},
                      (struct sw_scores){200, -150, -260, -11}, OVERHANG_SOFTCLIP, 5, &tasks);
    sw_make_plan(&tasks, (struct sw_manner){false, 0, 0}, &plan);
    size_t most = MOST_CELLS_OF_PART / (500 * 300);
    check(plan.part_count == 3 && plan.parts[0].range.tasks == most && plan.parts[1].range.tasks == most &&
              plan.parts[2].range.tasks == 30000 - 2 * most,
          "a batch of too many cells is divided, %zu tasks a part", most);
    sw_free_plan(&plan);
    sw_free_tasks(&tasks);
}

static void test_plan(size_t size, size_t batches, size_t first_piece, size_t most_parts)
{
    struct sw_tasks tasks;
    struct sw_plan plan;
    struct length_range references = {1, 700}, alternates = {1, 30};
    sw_generate_tasks(size, batches, references, alternates, (struct sw_scores){200, -150, -260, -11},
                      OVERHANG_SOFTCLIP, 5, &tasks);
    sw_make_plan(&tasks, (struct sw_manner){true, first_piece, 16}, &plan);
    check(each_has_a_place(&tasks, &plan), "%zu tasks of %zu batches have a place each", tasks.task_count,
          batches);
    check(parts_are_whole(&tasks, &plan), "and their parts, from %zu tasks on, are whole", first_piece);
    check(largest_first(&tasks, &plan), "the largest come first");
    check(plan.part_count <= most_parts && plan.first_part[batches] == plan.part_count,
          "there are no more than %zu parts, but %zu", most_parts, plan.part_count);
    sw_free_plan(&plan);
    sw_free_tasks(&tasks);
}

/* Returns whether the blocked kernel can align a sequence of `rows` letters with one of `columns` letters.
 * All letters of the first are A. The last letter of the second is `odd`, its other letters are T. */
static bool can_do(int rows, int columns, struct sw_scores scores, char odd)
{
    unsigned char *letters = allocate((size_t)(rows + columns));
    struct sw_tasks tasks = {.letters = letters};
    struct sw_task task = {0, (unsigned)rows, rows, columns, scores, OVERHANG_INDEL};
    memset(letters, 'A', (size_t)rows);
    memset(letters + rows, 'T', (size_t)columns);
    letters[rows + columns - 1] = (unsigned char)odd;
    bool can = blocked_can_do(&tasks, &task);
    free(letters);
    return can;
}

/* Checks that tasks use the scores for five letters only if they have an N. */
static void test_letters(void)
{
    const struct sw_tasks tasks = {.letters = (unsigned char *)"ACGTN"};
    check(blocked_letters(&tasks, &(struct sw_task){.reference_length = 4, .alternate_length = 4}) == 4 &&
              blocked_letters(&tasks, &(struct sw_task){.reference_length = 5, .alternate_length = 4}) == 5 &&
              blocked_letters(&tasks, &(struct sw_task){.reference_length = 4, .alternate_length = 5}) == 5,
          "four kinds of letters are known, or five if there is an N");
}

static void test_conditions(void)
{
    struct sw_scores usual = {200, -150, -260, -11};
    check(can_do(640, 1024, usual, 'N') && can_do(1, 1, usual, 'G'), "what it knows is the blocked kernel's");
    check(!can_do(641, 10, usual, 'A') && !can_do(10, 1025, usual, 'A'), "what is longer is not");
    check(!can_do(10, 10, usual, 'R'), "nor are other letters");
    check(can_do(640, 1024, (struct sw_scores){2047, -2048, -2048, 0}, 'A'), "scores may fill their bits");
    check(!can_do(64, 300, (struct sw_scores){2048, -1, -1, 0}, 'A') &&
              !can_do(64, 300, (struct sw_scores){-1, 2048, -1, 0}, 'A') &&
              !can_do(5, 5, (struct sw_scores){1, -1, -2049, 0}, 'A') &&
              !can_do(5, 5, (struct sw_scores){1, -2049, -1, 0}, 'A') &&
              !can_do(5, 5, (struct sw_scores){-4096, -4096, -2048, -2048}, 'A') &&
              can_do(5, 5, (struct sw_scores){-4094, -4094, -2047, -2047}, 'A'),
          "but no more of them");
    check(!can_do(64, 300, (struct sw_scores){2006, -1, -30, -21}, 'A') &&
              can_do(64, 300, (struct sw_scores){2005, -1, -30, -21}, 'A'),
          "where gaps' letters cost something, they count");
    check(!can_do(5, 5, (struct sw_scores){1, -1, -1, -2}, 'A') &&
              !can_do(5, 5, (struct sw_scores){1, -1, 1, 1}, 'A'),
          "a gap's first letter costs the most, and each something");
}

/* Checks the number of words that the back-trace has for a column: a word has the bits of seven rows. */
static void test_words(void)
{
    bool good = true;
    for (int rows = 1; rows <= BLOCKED_MOST_ROWS_A_LANE; rows++)
        good &= 7 * BLOCKED_WORDS(rows) >= rows && 7 * BLOCKED_WORDS(rows) < rows + 7;
    check(good, "each column of the back-trace has the words that it needs");
}

/* Checks where the back-trace of an alignment is stored. Each BLOCKED_SEGMENT steps have a column of notes,
 * which say where gaps began, and then a column for each step, without gaps in memory between the columns.
 * Also checks that the memory of a task has room for all columns. */
static void test_columns(void)
{
    const struct blocked_shape shape = {32, 3, 130};
    size_t next = 0;
    for (int step = 0; step < blocked_steps(shape); step++) {
        next += step % BLOCKED_SEGMENT == 0 && blocked_notes(step / BLOCKED_SEGMENT) == next;
        next += blocked_column(step) == next;
    }
    check(next == 161 + 27, "notes and columns of the back-trace follow each other, %zu of them", next);
    check(blocked_back_words(shape) >= next * BLOCKED_WORDS(3) * 32, "and have room");
}

int main(void)
{
    test_plan(300, 1, 0, 1);
    test_plan(300, 1, 20, 4);
    test_plan(300, 1, 250, 1);
    test_plan(30, 9, 10, 40);
    test_plan(70000, 1, 0, 3);
    test_warps(100, 50, false, 7);
    for (unsigned long long seed = 1; seed <= 8; seed++)
        test_warps(3000 + seed % 2, 50, true, seed);
    test_cells();
    test_letters();
    test_conditions();
    test_words();
    test_columns();
    return checks_done();
}
