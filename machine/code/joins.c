#include "machine/code/joins.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE NO_INSTRUCTION

/* A basic block of the function, and the basic blocks to which control may go from its end. The one with
 * number `count` stands for the function's end. */
struct piece {
    size_t to[2];
    unsigned ways;
    /* for each basic block in `to`: does the way to it lead back to the beginning of a loop? */
    bool leads_back[2];
    /* number of the instruction after the call of the basic block's hook; NOWHERE if a request comes
     * before the hook */
    size_t hook;
    bool calls; /* does the basic block call a function that is not the machine's? */
    /* is the basic block a join, where lanes that went different ways wait for each other? */
    bool is_join;
    size_t after; /* the basic block's immediate post-dominator, or NOWHERE */
    /* is there neither a loop nor a call between the basic block and its post-dominator? */
    bool is_plain;
    /* does nvcc predicate instructions instead of branching at the basic block's end (joins.h)? */
    bool is_predicated;
    size_t last; /* number of the basic block's last instruction */
    /* number of the basic block's instructions for which a GPU executes an instruction, too */
    unsigned counted;
    /* the basic block's number in an order in which post-dominators come first */
    unsigned order;
    /* state of a depth-first search: the basic block is not visited, on the current path, or finished */
    enum { UNSEEN, ON_THE_WAY, DONE } search;
};

static struct piece *pieces;
static size_t count;
/* for each instruction, the number of the basic block that begins with it, or NOWHERE */
static size_t *piece_of;
static size_t first_instruction;

/* What is_join(), is_predicated() and join_after() return, indexed by an instruction's number. */
static struct known {
    size_t next; /* the join that join_after() returns for the instruction, or NOWHERE */
    bool is_join, is_predicated;
} * known;
static size_t room;

/* ---- the graph ---- */

static void add_way(struct piece *piece, size_t instruction, const struct kernel_function *function)
{
    bool inside = instruction >= function->first && instruction < function->end;
    piece->to[piece->ways++] = inside ? piece_of[instruction - first_instruction] : count;
}

/* Reads the basic block that begins with instruction `number`, and notes in `piece` what its
 * instructions do. Returns the number of its last instruction. */
static size_t last_of(size_t number, const struct kernel_function *function, struct piece *piece)
{
    bool has_request = false;
    for (;;) {
        const struct kernel_instruction *instruction = kernel_instruction(number);
        const struct x86_instruction *read = &instruction->read;
        size_t next = kernel_instruction_at(instruction->at + read->bytes);
        piece->calls = piece->calls || instruction->callee == CALLS_OTHER;
        has_request = has_request || makes_request(instruction->callee);
        piece->counted += is_counted(instruction);
        if (instruction->callee == CALLS_BLOCK_HOOK && !has_request && piece->hook == NOWHERE)
            piece->hook = next;
        if ((!read->calls && read->target) || read->leaves || next < function->first ||
            next >= function->end || kernel_instruction(next)->is_leader)
            return number;
        number = next;
    }
}

static void make_piece(size_t begin, const struct kernel_function *function)
{
    struct piece *piece = &pieces[piece_of[begin - first_instruction]];
    *piece = (struct piece){.hook = NOWHERE, .after = NOWHERE};
    piece->last = last_of(begin, function, piece);
    const struct kernel_instruction *last = kernel_instruction(piece->last);
    if (!last->read.calls && last->read.target)
        add_way(piece, kernel_instruction_at(last->read.target), function);
    if (!last->read.leaves)
        add_way(piece, kernel_instruction_at(last->at + last->read.bytes), function);
    if (!piece->ways)
        add_way(piece, NO_INSTRUCTION, function);
}

static void make_pieces(const struct kernel_function *function)
{
    size_t instructions = function->end - function->first;
    first_instruction = function->first;
    piece_of = allocate(instructions * sizeof *piece_of);
    count = 0;
    for (size_t i = 0; i < instructions; i++)
        piece_of[i] = kernel_instruction(function->first + i)->is_leader ? count++ : NOWHERE;
    pieces = allocate((count + 1) * sizeof *pieces);
    pieces[count] = (struct piece){.hook = NOWHERE, .after = NOWHERE};
    for (size_t i = 0; i < instructions; i++)
        if (piece_of[i] != NOWHERE)
            make_piece(function->first + i, function);
}

/* ---- post-dominators: Cooper, Harvey and Kennedy 2001, "A Simple, Fast Dominance Algorithm" ---- */

/* Sorts the basic blocks backwards from the function's end: each comes after at least one of those to
 * which control may go from it. Returns how many basic blocks can reach the end. */
static size_t order_backwards(size_t *sorted)
{
    size_t *from = allocate((2 * count + 1) * sizeof *from), *begin = allocate((count + 2) * sizeof *begin),
           *stack = allocate((count + 1) * sizeof *stack), *next = allocate((count + 1) * sizeof *next),
           depth = 0, found = 0;
    memset(begin, 0, (count + 2) * sizeof *begin);
    for (size_t p = 0; p < count; p++)
        for (unsigned w = 0; w < pieces[p].ways; w++)
            begin[pieces[p].to[w] + 1]++;
    for (size_t p = 0; p <= count; p++)
        begin[p + 1] += begin[p];
    memcpy(next, begin, (count + 1) * sizeof *next);
    for (size_t p = 0; p < count; p++)
        for (unsigned w = 0; w < pieces[p].ways; w++)
            from[next[pieces[p].to[w]]++] = p;
    memcpy(next, begin, (count + 1) * sizeof *next);
    pieces[count].search = ON_THE_WAY;
    for (stack[depth++] = count; depth;) {
        size_t p = stack[depth - 1];
        if (next[p] == begin[p + 1]) {
            sorted[count - found++] = p;
            depth--;
        } else if (pieces[from[next[p]++]].search == UNSEEN) {
            stack[depth] = from[next[p] - 1];
            pieces[stack[depth++]].search = ON_THE_WAY;
        }
    }
    for (size_t i = 0; i < found; i++)
        pieces[sorted[count + 1 - found + i]].order = (unsigned)i;
    memmove(sorted, sorted + (count + 1 - found), found * sizeof *sorted);
    free(from);
    free(begin);
    free(stack);
    free(next);
    return found;
}

/* Returns the nearest common post-dominator of two basic blocks. */
static size_t common(size_t a, size_t b)
{
    while (a != b)
        if (pieces[a].order > pieces[b].order)
            a = pieces[a].after;
        else
            b = pieces[b].after;
    return a;
}

static void find_post_dominators(void)
{
    size_t *sorted = allocate((count + 1) * sizeof *sorted), found = order_backwards(sorted);
    pieces[count].after = count;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 1; i < found; i++) {
            struct piece *piece = &pieces[sorted[i]];
            size_t after = NOWHERE;
            for (unsigned w = 0; w < piece->ways; w++)
                if (pieces[piece->to[w]].after != NOWHERE)
                    after = after == NOWHERE ? piece->to[w] : common(after, piece->to[w]);
            changed = changed || after != piece->after;
            piece->after = after;
        }
    }
    free(sorted);
}

/* ---- joins ---- */

/* Marks the ways between basic blocks that lead back into a loop: those to a basic block on the current
 * path of a depth-first search. */
static void find_ways_back(void)
{
    size_t *stack = allocate((count + 1) * sizeof *stack), depth = 0;
    unsigned *tried = allocate((count + 1) * sizeof *tried);
    for (size_t p = 0; p <= count; p++)
        pieces[p].search = UNSEEN;
    pieces[0].search = ON_THE_WAY;
    for (stack[depth++] = 0; depth;) {
        struct piece *piece = &pieces[stack[depth - 1]];
        if (tried[stack[depth - 1]] == piece->ways) {
            piece->search = DONE;
            depth--;
            continue;
        }
        unsigned way = tried[stack[depth - 1]]++;
        struct piece *to = &pieces[piece->to[way]];
        piece->leads_back[way] = to->search == ON_THE_WAY;
        if (to->search == UNSEEN) {
            to->search = ON_THE_WAY;
            stack[depth++] = piece->to[way];
        }
    }
    free(stack);
    free(tried);
}

/* Returns whether there is neither a loop nor a call on the ways from basic block `begin` to basic block
 * `end`. If there are at most PREDICATED instructions on these ways, notes that nvcc predicates them. */
static bool is_plain(size_t begin, size_t end)
{
    size_t *found = allocate((count + 1) * sizeof *found), known_pieces = 0;
    unsigned between = 0;
    bool plain = true;
    for (size_t p = 0; p <= count; p++)
        pieces[p].search = UNSEEN;
    found[known_pieces++] = begin;
    for (size_t f = 0; f < known_pieces && plain; f++) {
        const struct piece *piece = &pieces[found[f]];
        plain = found[f] != count && !piece->calls;
        for (unsigned w = 0; w < piece->ways; w++) {
            size_t to = piece->to[w];
            plain = plain && !piece->leads_back[w];
            if (to == end || pieces[to].search != UNSEEN)
                continue;
            pieces[to].search = DONE;
            between += pieces[to].counted;
            found[known_pieces++] = to;
        }
    }
    bool few = plain && pieces[begin].ways > 1 && between <= PREDICATED;
    for (size_t f = 0; few && f < known_pieces; f++)
        pieces[found[f]].is_predicated = true;
    free(found);
    return plain;
}

/* Finds the joins. The join of a branch is its first post-dominator that has a hook: lanes that went
 * different ways at the branch meet again there. */
static void find_joins(void)
{
    for (size_t p = 0; p < count; p++)
        pieces[p].is_plain =
            pieces[p].after != NOWHERE && pieces[p].after != count && is_plain(p, pieces[p].after);
    for (size_t p = 0; p < count; p++) {
        size_t at = p;
        bool parts = pieces[p].ways > 1;
        while (parts && pieces[at].is_plain && (at == p || pieces[at].hook == NOWHERE))
            at = pieces[at].after;
        if (parts && at != p && pieces[at].hook != NOWHERE)
            pieces[at].is_join = true;
    }
}

static size_t next_join(size_t p)
{
    while (pieces[p].is_plain) {
        p = pieces[p].after;
        if (pieces[p].is_join)
            return pieces[p].hook;
    }
    return NOWHERE;
}

static void make_room(size_t instructions)
{
    if (instructions <= room)
        return;
    known = reallocate(known, 2 * instructions * sizeof *known);
    for (; room < 2 * instructions; room++)
        known[room] = (struct known){.next = NOWHERE};
}

static void note_joins(const struct kernel_function *function)
{
    struct piece ignored = {0};
    for (size_t i = function->first; i < function->end; i++) {
        if (piece_of[i - first_instruction] == NOWHERE)
            continue;
        size_t p = piece_of[i - first_instruction], last = last_of(i, function, &ignored),
               next = next_join(p);
        for (size_t at = i;;
             at = kernel_instruction_at(kernel_instruction(at)->at + kernel_instruction(at)->read.bytes)) {
            known[at].next = next;
            if (at == last)
                break;
        }
        known[last].is_predicated = pieces[p].is_predicated;
        if (pieces[p].is_join)
            known[pieces[p].hook].is_join = true;
    }
}

void joins_find(const struct kernel_function *function)
{
    make_room(function->end);
    make_pieces(function);
    find_post_dominators();
    find_ways_back();
    find_joins();
    note_joins(function);
    free(pieces);
    free(piece_of);
}

bool is_join(size_t number)
{
    return number < room && known[number].is_join;
}

bool is_predicated(size_t number)
{
    return number < room && known[number].is_predicated;
}

size_t join_after(size_t number)
{
    return number < room ? known[number].next : NO_INSTRUCTION;
}
