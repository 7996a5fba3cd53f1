#include "machine/state.h"

struct machine the_machine;
struct running running;

void machine_keep_departures(const uint32_t *numbers, size_t count)
{
    the_machine.departures.kept = numbers;
    the_machine.departures.count = count;
    the_machine.departures.are_limited = true;
}

uint32_t machine_departures(void)
{
    return the_machine.departures.seen;
}

bool departs(void)
{
    uint32_t number = ++the_machine.departures.seen;
    size_t *next = &the_machine.departures.next;
    if (!the_machine.departures.are_limited)
        return true;
    while (*next < the_machine.departures.count && the_machine.departures.kept[*next] < number)
        ++*next;
    return *next < the_machine.departures.count && the_machine.departures.kept[*next] == number;
}

/* Registers of a multiprocessor, in compute capabilities 7.5 to 12.0 (CUDA C++ Programming Guide, Technical
 * Specifications; cuda_occupancy.h of the CUDA Toolkit) */
#define REGISTERS_OF_SM 65536 /* number of registers of a multiprocessor */
#define PARTS_OF_SM 4         /* number of its parts, each of which has a scheduler */
#define REGISTER_UNIT 256     /* unit in which registers are allocated to a warp */

size_t registers_of_block(unsigned threads, unsigned registers)
{
    size_t width = (size_t)the_machine.description.warp_size, warps = (threads + width - 1) / width;
    return warps * ((registers * width + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT);
}

size_t blocks_by_registers(size_t used, unsigned threads, unsigned registers)
{
    size_t width = (size_t)the_machine.description.warp_size, warps = (threads + width - 1) / width;
    if (!registers)
        return SIZE_MAX;
    size_t of_warp = registers_of_block(1, registers);
    return used > REGISTERS_OF_SM ? 0
                                  : (REGISTERS_OF_SM - used) / PARTS_OF_SM / of_warp * PARTS_OF_SM / warps;
}

/* From compute capability 8.0 on, shared memory is allocated to a block in units of SHARED_UNIT bytes, and
 * CUDA itself takes RESERVED_SHARED bytes for each block (CUDA C++ Programming Guide, Technical
 * Specifications; cuda_occupancy.h of the CUDA Toolkit). */
#define SHARED_UNIT 128
#define SHARED_SINCE 80

size_t shared_of_block(size_t bytes)
{
    int capability = the_machine.description.compute_capability;
    if (capability < SHARED_SINCE || capability == PURE_CAPABILITY)
        return bytes;
    return (bytes + RESERVED_SHARED + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
}

size_t blocks_by_shared(size_t used, size_t bytes)
{
    size_t all = (size_t)the_machine.description.shared_bytes_per_sm, of_block = shared_of_block(bytes);
    if (!of_block)
        return SIZE_MAX;
    return used > all ? 0 : (all - used) / of_block;
}

int machine_resident_blocks_per_sm(int threads, size_t shared_bytes, unsigned registers)
{
    const struct machine_description *d = &the_machine.description;
    if (threads < 1 || threads > d->max_threads_per_block)
        return 0;
    int blocks = d->max_threads_per_sm / threads;
    if (blocks > d->max_blocks_per_sm)
        blocks = d->max_blocks_per_sm;
    size_t shared = blocks_by_shared(0, shared_bytes),
           in_registers = blocks_by_registers(0, (unsigned)threads, registers);
    if ((size_t)blocks > shared)
        blocks = (int)shared;
    return (size_t)blocks > in_registers ? (int)in_registers : blocks;
}
