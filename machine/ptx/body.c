/* Reads the statements of a function. One file because declarations, labels and arguments share one table
 * of names, which scopes change. */
#include "machine/ptx/body.h"
#include "base/memory.h"
#include "machine/ptx/reader.h"

#include <stdlib.h>
#include <string.h>

/* A declaration that hides another one of the same name until its scope ends. */
struct hidden {
    const char *name;
    void *before;
    unsigned depth;
};

/* What a name stands for: a variable, a family of registers, a label or a list of labels. It is the name's
 * value in parser->names. */
struct meaning {
    struct ptx_variable *variable; /* for a family of registers: the first one, named by the prefix */
    uint32_t family;               /* number of registers of the family */
    unsigned depth;                /* depth of the scope that declares the name */
    struct ptx_argument *targets;  /* for a list of labels: its labels */
    size_t label;                  /* for a label: the number of its statement, from 1 */
};

struct unresolved {
    struct ptx_argument *argument;
    uint32_t line;
    unsigned depth; /* depth of the argument's scope; the label is in this scope or in one around it */
};

struct parser {
    struct ptx_reader reader;
    struct ptx_function *function;
    struct ptx_body *body;
    struct ptx_names *names;
    struct hidden *hidden;
    size_t hidden_count;
    unsigned depth;
    uint32_t source, unused_bytes;
    struct unresolved *unresolved;
    size_t unresolved_count;
};

/* Gives a name its meaning in the scope of this depth: the scope in which the parser is, or one around it. A
 * meaning that the name had before is hidden until the scope ends. */
static struct meaning *note_in(struct parser *parser, unsigned depth, const char *name,
                               struct meaning meaning)
{
    struct meaning *kept = ptx_allocate(parser->reader.module, sizeof *kept);
    *kept = meaning;
    kept->depth = depth;
    void *before = ptx_names_set(parser->names, name, kept);
    if (depth > 1) {
        parser->hidden = with_room(parser->hidden, sizeof *parser->hidden, parser->hidden_count, 1);
        parser->hidden[parser->hidden_count++] = (struct hidden){name, before, depth};
    }
    return kept;
}

static struct meaning *note(struct parser *parser, const char *name, struct meaning meaning)
{
    return note_in(parser, parser->depth, name, meaning);
}

/* Finds the labels that arguments in the scope name, before the names of the scope's own labels end. A label
 * that is not found can be in the enclosing scope. */
static void resolve_labels(struct parser *parser)
{
    size_t first = parser->unresolved_count, end = first, kept;
    while (first && parser->unresolved[first - 1].depth >= parser->depth)
        first--;
    for (size_t i = kept = first; i < end; i++) {
        struct unresolved unresolved = parser->unresolved[i];
        const struct meaning *meaning = ptx_names_find(parser->names, unresolved.argument->name);
        if (meaning && meaning->label) {
            unresolved.argument->number = (int64_t)meaning->label - 1;
        } else if (meaning && meaning->targets) {
            *unresolved.argument = *meaning->targets;
        } else if (parser->depth == 1) {
            parser->reader.line = unresolved.line;
            ptx_refuse(&parser->reader, "%s is not declared", unresolved.argument->name);
        } else {
            unresolved.depth = parser->depth - 1;
            parser->unresolved[kept++] = unresolved;
        }
    }
    parser->unresolved_count = kept;
}

/* Ends a scope: restores the earlier meaning of each name that it declared, beginning with the last. Entries
 * of outer scopes stay, among them registers of an outer family that were first used in this scope. */
static void end_scope(struct parser *parser)
{
    resolve_labels(parser);
    size_t last = parser->hidden_count, kept = last;
    for (size_t h = parser->hidden_count; h-- > 0;) {
        const struct hidden hidden = parser->hidden[h];
        if (hidden.depth == parser->depth)
            ptx_names_set(parser->names, hidden.name, hidden.before);
        else
            parser->hidden[--kept] = hidden;
    }
    if (last > kept)
        memmove(parser->hidden, parser->hidden + kept, (last - kept) * sizeof *parser->hidden);
    parser->hidden_count = last - kept;
    parser->depth--;
}

/* ---- declarations ---- */

static struct ptx_variable *keep(struct parser *parser, const struct ptx_variable *read)
{
    struct ptx_body *body = parser->body;
    struct ptx_variable *variable = ptx_allocate(parser->reader.module, sizeof *variable);
    *variable = *read;
    switch (read->space) {
    case PTX_REGISTER:
        variable->number = body->register_count;
        body->registers = with_room(body->registers, sizeof *body->registers, body->register_count, 1);
        body->registers[body->register_count++] = variable;
        break;
    case PTX_SHARED: /* decode.c gives it a place */
        break;
    case PTX_LOCAL:
    case PTX_PARAMETER:
        variable->offset = (body->private_bytes + read->align - 1) / read->align * read->align;
        body->private_bytes = variable->offset + (uint32_t)read->bytes;
        body->privates = with_room(body->privates, sizeof *body->privates, body->private_count, 1);
        body->privates[body->private_count++] = variable;
        break;
    default:
        ptx_refuse(&parser->reader, "%s is neither a register nor a shared or local variable", read->name);
    }
    return variable;
}

/* Declares what has been read: a variable, or a family of this many registers. */
static void declare_one(struct parser *parser, const struct ptx_variable *read, uint32_t family)
{
    struct meaning meaning = {.family = family};
    if (family)
        meaning.variable = memcpy(ptx_allocate(parser->reader.module, sizeof *read), read, sizeof *read);
    else
        meaning.variable = keep(parser, read);
    note(parser, read->name, meaning);
}

static void declare(struct parser *parser, enum ptx_space space)
{
    uint32_t family;
    struct ptx_variable read = ptx_read_variable(&parser->reader, space, &family);
    declare_one(parser, &read, family);
    /* further variables of the same type: .reg .b32 a, b<4>; */
    while (ptx_takes(&parser->reader, ",")) {
        read.name = ptx_read_name(&parser->reader);
        family = ptx_read_family(&parser->reader);
        declare_one(parser, &read, family);
    }
    ptx_expect(&parser->reader, ";");
}

/* Returns the register of a family, such as %r7 of %r<91>; NULL if no family has the name. */
static struct meaning *of_family(struct parser *parser, const char *name)
{
    char prefix[64];
    size_t length = strlen(name), end = length;
    while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    if (end == length || end >= sizeof prefix)
        return NULL;
    memcpy(prefix, name, end);
    prefix[end] = 0;
    const struct meaning *family = ptx_names_find(parser->names, prefix);
    if (!family || strtoull(name + end, NULL, 10) >= family->family)
        return NULL;
    struct ptx_variable read = *family->variable;
    read.name = name;
    return note_in(parser, family->depth, name, (struct meaning){.variable = keep(parser, &read)});
}

/* ---- operands ---- */

static struct ptx_argument read_argument(struct parser *parser);

static struct ptx_argument read_list(struct parser *parser, const char *end)
{
    struct ptx_argument list = {.kind = PTX_IS_GROUP}, items[64] = {{0}};
    while (!ptx_takes(&parser->reader, end)) {
        if (list.count == sizeof items / sizeof *items)
            ptx_refuse(&parser->reader, "a list of more than 64 operands");
        items[list.count++] = read_argument(parser);
        ptx_takes(&parser->reader, ",");
    }
    list.items = ptx_allocate(parser->reader.module, (list.count + 1) * sizeof *items);
    memcpy(list.items, items, list.count * sizeof *items);
    return list;
}

/* Reads "+ NUMBER" and "- NUMBER", of which there can be several. */
static int64_t read_offsets(struct ptx_reader *reader)
{
    int64_t sum = 0;
    for (;;)
        if (ptx_takes(reader, "+"))
            sum += ptx_read_integer(reader);
        else if (ptx_peek(reader) == '-')
            sum += ptx_read_integer(reader);
        else
            return sum;
}

static struct ptx_argument meaning_of(struct parser *parser, const char *name)
{
    struct ptx_reader *reader = &parser->reader;
    struct ptx_argument argument = {.name = name};
    const struct meaning *meaning = ptx_names_find(parser->names, name);
    if (!meaning)
        meaning = of_family(parser, name);
    if (meaning && meaning->targets) {
        argument = *meaning->targets;
    } else if (meaning && meaning->variable && !meaning->family) {
        argument.variable = meaning->variable;
    } else if ((argument.variable = ptx_variable_find(reader->module, name))) {
        argument.kind = PTX_IS_VARIABLE;
    } else if ((argument.function = ptx_function_find(reader->module, name))) {
        argument.kind = PTX_IS_FUNCTION;
    } else if (*name == '%' || strcmp(name, "WARP_SZ") == 0) {
        argument.kind = PTX_IS_SPECIAL;
        if (*reader->at == '.') {
            char *whole = ptx_allocate(reader->module, strlen(name) + 3);
            const char *component = ptx_read_word(reader);
            argument.name = strncat(strcpy(whole, name), component, 2);
        }
    } else {
        argument.kind = PTX_IS_LABEL;
    }
    return argument;
}

static struct ptx_argument read_named(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    const char *name = ptx_read_name(reader);
    if (strcmp(name, "_") == 0)
        return (struct ptx_argument){.kind = PTX_IS_NOTHING};
    struct ptx_argument argument = meaning_of(parser, name);
    if (argument.kind == PTX_IS_VARIABLE && *reader->at == '.')
        argument.part = ptx_read_word(reader);
    if (argument.kind == PTX_IS_VARIABLE || argument.kind == PTX_IS_SPECIAL)
        argument.number = read_offsets(reader);
    return argument;
}

static struct ptx_argument read_plain(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    char next = ptx_peek(reader);
    if (next == '-' || (next >= '0' && next <= '9')) {
        struct ptx_number number = ptx_read_number(reader);
        return (struct ptx_argument){.kind = PTX_IS_NUMBER,
                                     .is_float = number.is_float,
                                     .float_bytes = number.bytes,
                                     .real = number.value,
                                     .number = (int64_t)number.bits};
    }
    return read_named(parser);
}

static struct ptx_argument read_argument(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    if (ptx_takes(reader, "{"))
        return read_list(parser, "}");
    if (ptx_takes(reader, "("))
        return read_list(parser, ")");
    if (ptx_takes(reader, "[")) {
        struct ptx_argument base = read_plain(parser), address = base;
        address.kind = PTX_IS_ADDRESS;
        if (base.kind == PTX_IS_NUMBER)
            address.number = base.number + read_offsets(reader);
        if (ptx_takes(reader, ",")) {
            struct ptx_argument rest = read_list(parser, "]");
            address.items = rest.items;
            address.count = rest.count;
        } else {
            ptx_expect(reader, "]");
        }
        return address;
    }
    bool is_not = ptx_takes(reader, "!");
    struct ptx_argument argument = read_plain(parser);
    argument.is_not = is_not;
    if (ptx_takes(reader, "|")) {
        struct ptx_argument *items = ptx_allocate(reader->module, 2 * sizeof *items);
        items[0] = argument;
        items[1] = read_plain(parser);
        return (struct ptx_argument){.kind = PTX_IS_PAIR, .items = items, .count = 2};
    }
    return argument;
}

/* ---- source lines ---- */

static struct ptx_source *source_of(struct ptx_module *module, uint32_t number)
{
    return &module->sources[number];
}

/* Returns the number of a source line, which is new unless it is one of the function's lines so far. */
static uint32_t number_of(struct parser *parser, struct ptx_source source)
{
    struct ptx_module *module = parser->reader.module;
    for (uint32_t n = (uint32_t)module->source_count; n-- > 1 && n + 256 > module->source_count;)
        if (memcmp(source_of(module, n), &source, sizeof source) == 0)
            return n;
    module->sources = with_room(module->sources, sizeof source, module->source_count, 1);
    module->sources[module->source_count] = source;
    return (uint32_t)module->source_count++;
}

/* Returns the number of the line at which a function was inlined. This line can itself be of an inlined
 * function, so it is looked for among the lines so far. */
static uint32_t inlined_at(struct parser *parser, struct ptx_source place)
{
    const struct ptx_module *module = parser->reader.module;
    for (uint32_t n = (uint32_t)module->source_count; n-- > 1;) {
        const struct ptx_source *known = &module->sources[n];
        if (known->file == place.file && known->line == place.line && known->column == place.column)
            return n;
    }
    return number_of(parser, place);
}

static struct ptx_source read_place(struct ptx_reader *reader)
{
    struct ptx_source place = {.file = (uint32_t)ptx_read_integer(reader)};
    place.line = (uint32_t)ptx_read_integer(reader);
    place.column = (uint32_t)ptx_read_integer(reader);
    return place;
}

/* Reads .loc FILE LINE COLUMN [, function_name NAME, inlined_at FILE LINE COLUMN]. */
static void read_location(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    struct ptx_source source = read_place(reader);
    while (ptx_takes(reader, ",")) {
        if (ptx_takes(reader, "inlined_at")) {
            source.inlined_at = inlined_at(parser, read_place(reader));
        } else {
            ptx_expect(reader, "function_name");
            (void)ptx_read_name(reader);
            (void)read_offsets(reader);
        }
    }
    /* nvcc gives line 0 to code that it has generated for the preceding statement, such as a loop of
     * memcpy() */
    if (source.line)
        parser->source = number_of(parser, source);
}

/* ---- statements ---- */

/* Adds the arguments that name a label to those to be resolved when the whole body has been read. */
static void note_labels(struct parser *parser, struct ptx_argument *argument)
{
    for (unsigned i = 0; i < argument->count; i++)
        note_labels(parser, &argument->items[i]);
    if (argument->kind != PTX_IS_LABEL)
        return;
    size_t count = parser->unresolved_count++;
    parser->unresolved = with_room(parser->unresolved, sizeof *parser->unresolved, count, 1);
    parser->unresolved[count] = (struct unresolved){argument, parser->reader.line, parser->depth};
}

static void read_instruction(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    struct ptx_body *body = parser->body;
    struct ptx_statement statement = {.source = parser->source, .unused_bytes = parser->unused_bytes};
    parser->unused_bytes = 0;
    struct ptx_argument arguments[16] = {{0}};
    if (ptx_takes(reader, "@")) {
        statement.guard_is_not = ptx_takes(reader, "!");
        statement.guard = read_named(parser).variable;
        if (!statement.guard)
            ptx_refuse(reader, "the guard is no predicate");
    }
    ptx_peek(reader);
    statement.text_line = reader->line;
    statement.text_at = (uint32_t)(reader->at - reader->module->text);
    statement.opcode = ptx_read_word(reader);
    while (!ptx_takes(reader, ";")) {
        if (statement.argument_count == sizeof arguments / sizeof *arguments)
            ptx_refuse(reader, "an instruction with more than 16 operands");
        arguments[statement.argument_count++] = read_argument(parser);
        if (!ptx_takes(reader, ",") && ptx_peek(reader) != ';')
            ptx_refuse(reader, "%.*s where a comma is expected", (int)strcspn(reader->at, "\n"), reader->at);
    }
    statement.arguments = ptx_allocate(reader->module, (statement.argument_count + 1) * sizeof *arguments);
    memcpy(statement.arguments, arguments, statement.argument_count * sizeof *arguments);
    for (unsigned i = 0; i < statement.argument_count; i++)
        note_labels(parser, &statement.arguments[i]);
    body->statements = with_room(body->statements, sizeof statement, body->statement_count, 1);
    body->statements[body->statement_count++] = statement;
}

/* Reads a name with a colon: a label, or the name of a list of targets. */
static void read_label(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    const char *name = ptx_read_name(reader);
    ptx_expect(reader, ":");
    if (ptx_takes(reader, ".branchtargets") || ptx_takes(reader, ".calltargets")) {
        struct ptx_argument *list = ptx_allocate(reader->module, sizeof *list);
        *list = read_list(parser, ";");
        list->kind = PTX_IS_TARGETS;
        note_labels(parser, list);
        note(parser, name, (struct meaning){.targets = list});
    } else if (ptx_takes(reader, ".callprototype")) {
        struct ptx_argument *nothing = ptx_allocate(reader->module, sizeof *nothing);
        nothing->kind = PTX_IS_NOTHING;
        note(parser, name, (struct meaning){.targets = nothing});
        while (*reader->at && *reader->at != ';')
            reader->line += *reader->at++ == '\n';
        ptx_expect(reader, ";");
    } else {
        note(parser, name, (struct meaning){.label = parser->body->statement_count + 1});
    }
}

static bool is_label(struct ptx_reader *reader)
{
    const char *at = reader->at;
    while (*at == '$' || *at == '_' || *at == '%' || (*at >= '0' && *at <= '9') ||
           ((*at | 32) >= 'a' && (*at | 32) <= 'z'))
        at++;
    while (*at == ' ' || *at == '\t')
        at++;
    return *at == ':' && at[1] != ':';
}

/* Reads a pragma. With "used_bytes_mask MASK" it says which bytes of the next load are used; the others may
 * be padding. The machine's own instructions are texts of pragmas, because ptxas also reads the PTX and skips
 * unknown pragmas. */
static void read_pragma(struct parser *parser)
{
    static const char begin[] = "\"gpusync.", used[] = "\"used_bytes_mask ";
    struct ptx_reader *reader = &parser->reader;
    if (ptx_peek(reader) && strncmp(reader->at, used, sizeof used - 1) == 0)
        parser->unused_bytes = ~(uint32_t)strtoul(reader->at + sizeof used - 1, NULL, 0);
    if (*reader->at != '"' || strncmp(reader->at, begin, sizeof begin - 1) != 0)
        return ptx_skip_line(reader);
    reader->at++;
    read_instruction(parser);
    ptx_expect(reader, "\"");
    ptx_expect(reader, ";");
}

static void read_directive(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    const char *word = ptx_read_word(reader);
    if (strcmp(word, ".loc") == 0)
        read_location(parser);
    else if (strcmp(word, ".reg") == 0)
        declare(parser, PTX_REGISTER);
    else if (strncmp(word, ".reg.", 5) == 0) { /* without a space before the type */
        reader->at -= strlen(word) - 4;
        declare(parser, PTX_REGISTER);
    } else if (strcmp(word, ".local") == 0)
        declare(parser, PTX_LOCAL);
    else if (strcmp(word, ".param") == 0)
        declare(parser, PTX_PARAMETER);
    else if (strcmp(word, ".shared") == 0)
        declare(parser, PTX_SHARED);
    else if (strcmp(word, ".pragma") == 0)
        read_pragma(parser);
    else if (strcmp(word, ".file") == 0)
        ptx_skip_line(reader);
    else
        ptx_refuse(reader, "%s is not known in a function", word);
}

static void read_part(struct parser *parser)
{
    struct ptx_reader *reader = &parser->reader;
    char next = ptx_peek(reader);
    if (!next)
        ptx_refuse(reader, "the function %s does not end", parser->function->name);
    if (ptx_takes(reader, "{"))
        parser->depth++;
    else if (ptx_takes(reader, "}"))
        end_scope(parser);
    else if (next == '.')
        read_directive(parser);
    else if (next == ';')
        reader->at++;
    else if (is_label(reader))
        read_label(parser);
    else
        read_instruction(parser);
}

/* Declares the function's parameters. A kernel's parameters are in the memory of the launch. */
static void declare_parameters(struct parser *parser)
{
    struct ptx_function *function = parser->function;
    struct ptx_variable *lists[] = {function->results, function->parameters};
    unsigned counts[] = {function->result_count, function->parameter_count};
    for (unsigned l = 0; l < 2; l++)
        for (unsigned i = 0; i < counts[l]; i++) {
            struct ptx_variable *variable = &lists[l][i];
            if (!function->is_kernel)
                variable = keep(parser, variable);
            note(parser, variable->name, (struct meaning){.variable = variable});
            lists[l][i].offset = variable->offset;
            lists[l][i].number = variable->number;
        }
}

/* Moves an array that does not grow any more to memory that lives as long as the module. */
static void *settle(struct ptx_module *module, void *array, size_t bytes)
{
    void *settled = ptx_allocate(module, bytes);
    if (bytes)
        memcpy(settled, array, bytes);
    free(array);
    return settled;
}

struct ptx_body *ptx_body_read(struct ptx_function *function, char *message, size_t message_size)
{
    jmp_buf failed;
    struct ptx_module *module = function->module;
    struct ptx_body *body = ptx_allocate(module, sizeof *body);
    struct parser parser = {.reader = {.module = module,
                                       .at = function->text,
                                       .line = function->text_line,
                                       .failed = &failed,
                                       .message = message,
                                       .message_size = message_size},
                            .function = function,
                            .body = body,
                            .names = ptx_names_make(module),
                            .depth = 1};
    volatile bool is_valid = false;
    if (!setjmp(failed)) {
        declare_parameters(&parser);
        while (parser.depth)
            read_part(&parser);
        is_valid = true;
    }
    free(parser.hidden);
    free(parser.unresolved);
    body->statements = settle(module, body->statements, body->statement_count * sizeof *body->statements);
    body->registers = settle(module, body->registers, body->register_count * sizeof *body->registers);
    body->privates = settle(module, body->privates, body->private_count * sizeof *body->privates);
    function->body = is_valid ? body : NULL;
    return function->body;
}
