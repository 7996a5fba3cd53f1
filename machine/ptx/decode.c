/* Makes a kernel's instructions from its statements. One file because the operands of all opcodes are
 * decoded in one way, and because a routine's frame and its blocks are laid out together. */
#include "machine/ptx/program.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/cuda/bounds.h"
#include "machine/ptx/arithmetic.h"
#include "machine/ptx/decode.h"
#include "machine/ptx/flow.h"
#include "machine/ptx.h"
#include "machine/ptx/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- refusals ---- */

static void write_line(const struct ptx_module *module, uint32_t source, uint32_t text_line, char *text,
                       size_t size)
{
    const struct ptx_source *known = &module->sources[source];
    if (source && known->file < module->file_count && module->files[known->file])
        snprintf(text, size, "%s:%u", module->files[known->file], known->line);
    else
        snprintf(text, size, "%s:%u", module->name, text_line);
}

static char refusal[1024];

const char *machine_refusal(void)
{
    return refusal;
}

void machine_refuse_call(const char *why)
{
    snprintf(refusal, sizeof refusal, "%s", why);
    fail(EXIT_BAD_INPUT, "%s", refusal);
}

void ptx_unsupported(const struct ptx_decoder *decoder, const char *why)
{
    char line[512];
    const struct ptx_statement *statement = decoder->statement;
    const struct ptx_module *module = decoder->routine->function->module;
    /* the program's line, not the line in an inlined function of the toolkit */
    uint32_t source = statement->source;
    while (module->sources[source].inlined_at)
        source = module->sources[source].inlined_at;
    write_line(module, source, statement->text_line, line, sizeof line);
    snprintf(refusal, sizeof refusal, "%s: the machine does not have the PTX instruction %s: %s", line,
             statement->opcode, why);
    fail(EXIT_CANNOT, "%s", refusal);
}

/* ---- opcodes ---- */

static void split_opcode(struct ptx_decoder *decoder)
{
    if (snprintf(decoder->opcode, sizeof decoder->opcode, "%s", decoder->statement->opcode) >=
        (int)sizeof decoder->opcode)
        ptx_unsupported(decoder, "its name is too long");
    decoder->part_count = 0;
    for (char *part = decoder->opcode; part;) {
        if (decoder->part_count == PTX_MOST_PARTS)
            ptx_unsupported(decoder, "it has too many modifiers");
        decoder->parts[decoder->part_count++] = part;
        part = strchr(part, '.');
        if (part)
            *part++ = 0;
    }
}

/* Is one of these words, separated by |, a part of the opcode after its name, or its name? Sets the number of
 * the first such word, counted from 0, or else the number of all words. */
static bool find_part(const char *opcode, const char *words, bool is_name, unsigned *number)
{
    for (*number = 0;; words++, ++*number) {
        const size_t length = strcspn(words, "|");
        for (const char *part = is_name ? opcode : strchr(opcode, '.'); part; part = strchr(part, '.')) {
            part += *part == '.';
            if (strcspn(part, ".") == length && memcmp(part, words, length) == 0)
                return true;
            if (is_name)
                break;
        }
        words += length;
        if (!*words)
            return ++*number, false;
    }
}

unsigned ptx_which(const struct ptx_decoder *decoder, const char *words)
{
    unsigned number;
    find_part(decoder->statement->opcode, words, false, &number);
    return number;
}

bool ptx_has(const struct ptx_decoder *decoder, const char *words)
{
    unsigned number;
    return find_part(decoder->statement->opcode, words, false, &number);
}

const struct ptx_operation *ptx_operation_named(const char *opcode)
{
    static const struct ptx_operation *const tables[] = {
        ptx_memory_operations, ptx_control_operations, ptx_warp_operations, ptx_copy_operations,
        ptx_matrix_operations, ptx_texture_operations, ptx_lock_operations};
    unsigned number;
    for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct ptx_operation *o = tables[t]; o->names; o++)
            if (find_part(opcode, o->names, true, &number) &&
                (!o->with || find_part(opcode, o->with, false, &number)) &&
                !(o->without && find_part(opcode, o->without, false, &number)))
                return o;
    return NULL;
}

/* ---- operands ---- */

const struct ptx_argument *ptx_argument_of(const struct ptx_decoder *decoder, unsigned number)
{
    if (number >= decoder->statement->argument_count)
        ptx_unsupported(decoder, "it has too few operands");
    return &decoder->statement->arguments[number];
}

ptx_operand ptx_constant(struct ptx_decoder *decoder, uint64_t value, char class)
{
    struct ptx_routine *routine = decoder->routine;
    bool is_wide = class == '8';
    size_t bytes = is_wide ? 8 * PTX_LANES : class == 'p' ? 4 : 4 * PTX_LANES;
    if (class == '2')
        value &= UINT16_MAX;
    if (class == '1')
        value &= UINT8_MAX;
    /* searches the last constants for one with the same bits */
    for (size_t at = 0; at + bytes <= decoder->constant_bytes && at < 16384; at += 4 * PTX_LANES) {
        const unsigned char *known = routine->constants + at;
        uint32_t words[2] = {(uint32_t)value, is_wide ? (uint32_t)(value >> 32) : (uint32_t)value};
        bool same = true;
        for (size_t w = 0; same && w < bytes / 4; w++)
            same = memcmp(known + 4 * w, &words[w % 2], 4) == 0;
        if (same)
            return (ptx_operand)at | PTX_CONSTANT;
    }
    size_t at = decoder->constant_bytes, room = is_wide ? 8 * PTX_LANES : 4 * PTX_LANES;
    routine->constants = with_room(routine->constants, 1, at, room);
    for (unsigned l = 0; l < PTX_LANES; l++)
        memcpy(routine->constants + at + l * (is_wide ? 8 : 4), &value, is_wide ? 8 : 4);
    decoder->constant_bytes += room;
    return (ptx_operand)at | PTX_CONSTANT;
}

uint64_t ptx_number_of(const struct ptx_decoder *decoder, const struct ptx_argument *argument)
{
    if (argument->kind != PTX_IS_NUMBER)
        ptx_unsupported(decoder, "an operand is no constant");
    return (uint64_t)argument->number;
}

char ptx_class_of(const struct ptx_argument *argument, char otherwise)
{
    char class;
    if (argument->kind == PTX_IS_VARIABLE && argument->variable->space == PTX_REGISTER) {
        unsigned width = argument->variable->width;
        return !width ? 'p' : width <= 4 ? '4' : width == 8 ? '8' : 'Q';
    }
    if (argument->kind == PTX_IS_SPECIAL && ptx_special_operand(argument->name, &class) != PTX_NO_OPERAND)
        return class;
    return otherwise;
}

static uint64_t number_in(const struct ptx_argument *argument, char class)
{
    uint64_t bits = (uint64_t)argument->number;
    double real = argument->real;
    if (!argument->is_float)
        return bits;
    if (argument->float_bytes == 4 && class != '8')
        return bits;
    if (argument->float_bytes == 4) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        real = (double)value;
    } else if (argument->float_bytes == 8) {
        memcpy(&real, &bits, sizeof real);
    }
    if (class != '8') {
        float value = (float)real;
        uint32_t narrow;
        memcpy(&narrow, &value, sizeof narrow);
        return narrow;
    }
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Returns the offset of a shared variable of the program. */
static uint32_t shared_offset(struct ptx_program *program, const struct ptx_variable *variable)
{
    for (size_t i = 0; i < program->shared_count; i++)
        if (program->shared[i] == variable)
            return program->shared_offsets[i];
    return (uint32_t)program->static_shared_bytes; /* dynamic shared memory, which comes last */
}

static uint64_t address_of(struct ptx_decoder *decoder, const struct ptx_variable *variable)
{
    if (variable->space == PTX_SHARED)
        return shared_offset(decoder->routine->program, variable);
    if (!variable->memory)
        ptx_unsupported(decoder, "a variable that is only declared has no memory");
    return (uintptr_t)variable->memory;
}

ptx_operand ptx_operand_of(struct ptx_decoder *decoder, const struct ptx_argument *argument, char class)
{
    char own;
    ptx_operand operand;
    if (argument->part)
        ptx_unsupported(decoder, "parts of registers, such as .b0, are not known");
    switch (argument->kind) {
    case PTX_IS_VARIABLE:
    case PTX_IS_ADDRESS:
        if (argument->variable && argument->variable->space == PTX_REGISTER) {
            own = ptx_class_of(&(struct ptx_argument){.variable = argument->variable}, class);
            bool is_pair = own == '8' || class == '8';
            if ((own == 'p') != (class == 'p') || (is_pair && own != class) || (own == 'Q') != (class == 'Q'))
                ptx_unsupported(decoder, "a register has another size than the instruction's type");
            return decoder->slots[argument->variable->number] | PTX_FRAME;
        }
        if (!argument->variable)
            return ptx_constant(decoder, 0, class);
        return ptx_constant(decoder, address_of(decoder, argument->variable) + (uint64_t)argument->number,
                            class);
    case PTX_IS_NUMBER:
        return ptx_constant(
            decoder, class == 'p' ? argument->number ? PTX_ALL_LANES : 0 : number_in(argument, class), class);
    case PTX_IS_FUNCTION:
        return ptx_constant(decoder, (uintptr_t)argument->function, class);
    case PTX_IS_SPECIAL:
        operand = ptx_special_operand(argument->name, &own);
        if (operand == PTX_NO_OPERAND)
            ptx_unsupported(decoder, argument->name);
        return operand;
    case PTX_IS_NOTHING:
        return PTX_NO_OPERAND;
    default:
        ptx_unsupported(decoder, "an operand of another kind is expected");
    }
}

ptx_operand ptx_operand_at(struct ptx_decoder *decoder, unsigned number, char class)
{
    return ptx_operand_of(decoder, ptx_argument_of(decoder, number), class);
}

/* The registers of cvt can be wider than its types. Returns the flag for this (arithmetic.h), and sets the
 * class to the class of the register. */
static uint64_t widen(const struct ptx_decoder *decoder, const struct ptx_argument *argument, bool is_result,
                      char *class)
{
    bool converts = strcmp(decoder->parts[0], "cvt") == 0;
    if (!converts || argument->kind != PTX_IS_VARIABLE || argument->variable->space != PTX_REGISTER)
        return 0;
    unsigned width = argument->variable->width;
    if (width == 8 && *class != '8') {
        *class = '8';
        return is_result ? PTX_INTO_64 : PTX_FROM_64;
    }
    return is_result && width == 4 && (*class == '2' || *class == '1') ? PTX_INTO_32 : 0;
}

/* Fills in the operands as a form or a row says. */
static void decode_operands(struct ptx_decoder *decoder, const char *class, struct ptx_code *code)
{
    ptx_operand *sources[] = {&code->a, &code->b, &code->c, &code->f};
    unsigned number = 0, source = 0;
    code->e = PTX_NO_OPERAND;
    if (*class != ':') {
        const struct ptx_argument *result = ptx_argument_of(decoder, number++);
        char own = *class ++;
        code->number |= widen(decoder, result, true, &own);
        code->d = ptx_operand_of(decoder, result->kind == PTX_IS_PAIR ? &result->items[0] : result, own);
        if (*class == '|') {
            if (result->kind == PTX_IS_PAIR)
                code->e = ptx_operand_of(decoder, &result->items[1], class[1]);
            class += 2;
        }
    }
    for (class ++; *class; class ++) {
        if (*class == '*')
            return;
        if (number == decoder->statement->argument_count)
            ptx_unsupported(decoder, "it has too few operands");
        const struct ptx_argument *argument = ptx_argument_of(decoder, number++);
        if (*class == '#') {
            code->number |= ptx_number_of(decoder, argument);
            continue;
        }
        char own = *class;
        code->number |= widen(decoder, argument, false, &own);
        *sources[source++] = ptx_operand_of(decoder, argument, own);
        if (argument->is_not)
            code->number |= PTX_NOT;
    }
    if (number != decoder->statement->argument_count)
        ptx_unsupported(decoder, "it has too many operands");
}

/* ---- guards ---- */

static const struct ptx_code *run_guarded(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t all = lanes->mask, predicate = *PTX_AT(const uint32_t, lanes, code->guard);
    uint32_t mask = all & (code->guard_is_not ? ~predicate : predicate);
    if (!mask)
        return code + 1;
    if (mask == all)
        return code->guarded(code, lanes);
    if (code->parts) { /* the instruction can stop or move the lanes, so that they are no longer together */
        ptx_part(lanes, all & ~mask, code + 1);
        return code->guarded(code, lanes);
    }
    bool was_whole = lanes->is_whole;
    lanes->mask = mask;
    lanes->is_whole = false;
    code->guarded(code, lanes);
    lanes->mask = all;
    lanes->is_whole = was_whole;
    return code + 1;
}

/* ---- routines ---- */

void ptx_decode_arithmetic(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const struct ptx_form *form = ptx_arithmetic(decoder->statement->opcode);
    if (!form)
        ptx_unsupported(decoder, "it is not known");
    code->run = form->run;
    code->number = form->number;
    code->more = form->parts;
    decode_operands(decoder, form->operands, code);
}

static void decode_statement(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const struct ptx_statement *statement = decoder->statement;
    const struct ptx_operation *operation = decoder->operation = statement->operation;
    split_opcode(decoder);
    code->statement = (uint32_t)(statement - decoder->body->statements);
    if (operation) {
        if (operation->refusal)
            ptx_unsupported(decoder, operation->refusal);
        code->run = operation->run;
        code->finish = operation->finish;
        code->hands = operation->hands;
        code->parts = operation->parts;
        if (operation->operands)
            decode_operands(decoder, operation->operands, code);
        if (operation->decode)
            operation->decode(decoder, code);
        code->parts = code->parts || code->finish;
    } else {
        ptx_decode_arithmetic(decoder, code);
    }
    if (statement->guard && !code->guarded) {
        code->guarded = code->run;
        code->run = run_guarded;
        code->guard = decoder->slots[statement->guard->number];
        code->guard_is_not = statement->guard_is_not;
    }
}

static const struct ptx_code *run_end(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    (void)code;
    return ptx_return(lanes);
}

static void place_shared(struct ptx_program *program, const struct ptx_variable *variable)
{
    size_t at = program->shared_count;
    if (!variable->bytes) {
        program->dynamic_align =
            variable->align > program->dynamic_align ? variable->align : program->dynamic_align;
        bool is_other = program->dynamic_name && strcmp(program->dynamic_name, variable->name) != 0;
        program->dynamic_name = is_other ? "" : variable->name;
        return;
    }
    for (size_t i = 0; i < at; i++)
        if (program->shared[i] == variable)
            return;
    uint32_t offset =
        ((uint32_t)program->static_shared_bytes + variable->align - 1) / variable->align * variable->align;
    program->shared = with_room(program->shared, sizeof(void *), at, 1);
    program->shared_offsets = with_room(program->shared_offsets, sizeof offset, at, 1);
    program->shared[at] = variable;
    program->shared_offsets[at] = offset;
    program->shared_count++;
    program->static_shared_bytes = offset + variable->bytes;
}

/* Reads the bodies of a function and of the functions that it names, and gives their shared variables
 * offsets. */
static void read_bodies(struct ptx_program *program, struct ptx_function *function, struct ptx_names *seen);

static void see_argument(struct ptx_program *program, const struct ptx_argument *argument,
                         struct ptx_names *seen)
{
    if (argument->function)
        read_bodies(program, argument->function, seen);
    if (argument->variable && argument->variable->space == PTX_SHARED)
        place_shared(program, argument->variable);
    for (unsigned i = 0; i < argument->count; i++)
        see_argument(program, &argument->items[i], seen);
}

static void read_bodies(struct ptx_program *program, struct ptx_function *function, struct ptx_names *seen)
{
    char message[512];
    if (!function->text || ptx_names_find(seen, function->name))
        return;
    ptx_names_set(seen, function->name, function);
    if (!function->body && !ptx_body_read(function, message, sizeof message))
        fail(EXIT_CANNOT, "%s", message);
    if (bounds_are_checked && !function->body->objects)
        ptx_part_arrays(function->body);
    for (size_t s = 0; s < function->body->statement_count; s++) {
        struct ptx_statement *statement = &function->body->statements[s];
        statement->operation = ptx_operation_named(statement->opcode);
        for (unsigned a = 0; a < statement->argument_count; a++)
            see_argument(program, &statement->arguments[a], seen);
    }
}

/* Returns the number of a statement's instruction: the beginning of each block has one, too. */
static size_t instruction_of(const struct ptx_graph *graph, size_t statement)
{
    return statement + graph->block_of[statement] + 1;
}

const struct ptx_code *ptx_target(const struct ptx_decoder *decoder, const struct ptx_argument *label)
{
    const struct ptx_graph *graph = &decoder->graph;
    size_t statement = (size_t)label->number, end = decoder->body->statement_count;
    if (statement == end)
        return decoder->routine->code + end + graph->count;
    return decoder->routine->code + instruction_of(graph, statement) - 1;
}

/* Does the block follow a loop, because the backward branch at the end of the preceding block is not
 * taken? */
static bool is_exit(const struct ptx_graph *graph, size_t block)
{
    if (!block || graph->blocks[block - 1].ways < 2)
        return false;
    for (unsigned w = 0; w < graph->blocks[block - 1].ways; w++)
        if (graph->blocks[block - 1].to[w] < block)
            return true;
    return false;
}

/* Finds the dependences and work that the time model needs, and notes them in the routine's sites. */
static void note_sites(struct ptx_routine *routine, const struct ptx_graph *graph,
                       const unsigned char *results)
{
    size_t count = graph->body->statement_count;
    struct ptx_known *statements = allocate((count + 1) * sizeof *statements),
                     *blocks = allocate((graph->count + 1) * sizeof *blocks);
    bool *requests = allocate(count + 1);
    for (size_t s = 0; s < count; s++) {
        const struct ptx_code *code = &routine->code[instruction_of(graph, s)];
        requests[s] = code->finish && !code->target && code->finish != ptx_finish_meeting;
    }
    uint32_t lines = count ? graph->body->statements[count - 1].text_line + 1 : 1;
    struct sass_cost *costs = sass_costs(routine->function->module->cubin, routine->function->name, lines);
    ptx_flow_find(graph, requests, results, routine->function->is_kernel, costs, statements, blocks);
    free(costs);
    for (size_t b = 0; b < graph->count; b++) {
        const struct ptx_basic_block *block = &graph->blocks[b];
        size_t first = instruction_of(graph, block->first) - 1;
        size_t join =
            block->next_join == PTX_NOWHERE
                ? PTX_NOWHERE
                : (uintptr_t)&routine->code[instruction_of(graph, graph->blocks[block->next_join].first) - 1];
        routine->sites[first] = (struct site){.dependence = blocks[b].dependence,
                                              .is_exit = is_exit(graph, b),
                                              .is_join = block->is_join,
                                              .next_join = join};
        routine->counts[first] = blocks[b].after;
        for (size_t s = block->first; s < block->end; s++) {
            routine->sites[instruction_of(graph, s)] =
                (struct site){.dependence = statements[s].dependence, .next_join = join};
            routine->counts[instruction_of(graph, s)] = statements[s].after;
        }
    }
    for (size_t i = 0; i < routine->count; i++) {
        struct ptx_code *code = &routine->code[i];
        code->site = &routine->sites[i];
        code->mark = PTX_MARK;
        code->place =
            ptx_place_of_statement(routine->function->module, &graph->body->statements[code->statement]);
    }
    free(statements);
    free(blocks);
    free(requests);
}

static struct ptx_routine *make_routine(struct ptx_program *program, struct ptx_function *function)
{
    struct ptx_body *body = function->body;
    struct ptx_routine *routine = allocate(sizeof *routine);
    struct ptx_decoder decoder = {.routine = routine, .body = body, .graph = ptx_graph_make(body)};
    unsigned char *results = allocate(body->statement_count + 1);
    program->routines = with_room(program->routines, sizeof(void *), program->routine_count, 1);
    program->routines[program->routine_count++] = routine;
    *routine = (struct ptx_routine){.function = function,
                                    .program = program,
                                    .count = body->statement_count + decoder.graph.count,
                                    .private_bytes = (body->private_bytes + 15) / 16 * 16};
    for (size_t s = 0; s < body->statement_count; s++)
        results[s] = !body->statements[s].operation || body->statements[s].operation->writes;
    uint32_t ends[4];
    decoder.slots = ptx_slots_find(&decoder.graph, results, ends);
    routine->words_at = ends[0];
    routine->double_words_at = ends[1];
    routine->frame_bytes = ends[3];
    routine->code = allocate((routine->count + 1) * sizeof *routine->code);
    routine->sites = allocate((routine->count + 1) * sizeof *routine->sites);
    routine->counts = allocate((routine->count + 1) * sizeof *routine->counts);
    for (size_t b = 0; b < decoder.graph.count; b++) {
        struct ptx_code *begin =
            &routine->code[instruction_of(&decoder.graph, decoder.graph.blocks[b].first) - 1];
        begin->run = ptx_run_block;
        begin->statement = (uint32_t)decoder.graph.blocks[b].first;
    }
    for (size_t s = 0; s < body->statement_count; s++) {
        decoder.statement = &body->statements[s];
        decode_statement(&decoder, &routine->code[instruction_of(&decoder.graph, s)]);
    }
    routine->code[routine->count].run = run_end;
    routine->code[routine->count].site = &routine->sites[routine->count];
    ptx_graph_joins(&decoder.graph);
    note_sites(routine, &decoder.graph, results);
    ptx_graph_free(&decoder.graph);
    free(decoder.slots);
    free(results);
    return routine;
}

static void weigh(struct ptx_routine *routine)
{
    for (size_t i = 0; i < routine->count; i++)
        routine->sites[i].work = ptx_work_of(&routine->counts[i]);
}

void ptx_weigh(struct ptx_program *program)
{
    const struct machine_description *d = &the_machine.description;
    if (!program->weighed)
        program->weighed = allocate(sizeof *program->weighed);
    else if (memcmp(program->weighed, d, sizeof *d) != 0)
        program->weighed_count = 0;
    *program->weighed = *d;
    while (program->weighed_count < program->routine_count)
        weigh(program->routines[program->weighed_count++]);
}

struct ptx_routine *ptx_routine_of(struct ptx_program *program, struct ptx_function *function)
{
    for (size_t r = 0; r < program->routine_count; r++)
        if (program->routines[r]->function == function)
            return program->routines[r];
    if (!function->body) /* a function whose address came from another kernel or from a variable */
        read_bodies(program, function, ptx_names_make(function->module));
    if (!function->body)
        fail(EXIT_CANNOT, "%s: the function %s is only declared", program->kernel->name, function->name);
    struct ptx_routine *routine = make_routine(program, function);
    if (program->weighed)
        ptx_weigh(program);
    return routine;
}

static struct ptx_program **programs;
static size_t program_count;

struct ptx_program *ptx_program_of(struct ptx_function *kernel)
{
    bool is_lockstep = the_machine.description.lockstep;
    if (kernel->program && (!kernel->program->has_points || kernel->program->is_lockstep == is_lockstep))
        return kernel->program;
    struct ptx_program *program = kernel->program = allocate(sizeof *program);
    program->kernel = kernel;
    program->dynamic_align = 1;
    program->is_lockstep = is_lockstep;
    read_bodies(program, kernel, ptx_names_make(kernel->module));
    size_t align = program->dynamic_align;
    const struct ptx_module *user = kernel->module->first;
    while (user && !strstr(user->text, "%reserved_smem_offset_1"))
        user = user->next;
    if (user) {
        program->reserved_at = (uint32_t)(program->static_shared_bytes + 15) / 16 * 16;
        program->reserved_bytes = 288; /* cooperative_groups/details/memory.h */
        program->static_shared_bytes = program->reserved_at + program->reserved_bytes;
    }
    program->static_shared_bytes = (program->static_shared_bytes + align - 1) / align * align;
    if (!kernel->body)
        fail(EXIT_CANNOT, "the kernel %s is only declared", kernel->name);
    make_routine(program, kernel);
    programs = with_room(programs, sizeof(void *), program_count, 1);
    programs[program_count++] = program;
    return program;
}

/* ---- lines ---- */

const struct ptx_routine *ptx_routine_at(const void *address)
{
    for (size_t p = 0; p < program_count; p++)
        for (size_t r = 0; r < programs[p]->routine_count; r++) {
            const struct ptx_routine *routine = programs[p]->routines[r];
            if ((uintptr_t)address + 1 >= (uintptr_t)routine->code &&
                (uintptr_t)address < (uintptr_t)(routine->code + routine->count))
                return routine;
        }
    return NULL;
}

size_t ptx_program_count(void)
{
    return program_count;
}

const struct ptx_program *ptx_program_at(size_t number)
{
    return programs[number];
}
