/* Relations between events: bit b of row a says that a is before b. */
#ifndef MICRO_PTX_RELATION_H
#define MICRO_PTX_RELATION_H

#include "micro/litmus/ptx_events.h"

struct ptx_relation {
    ptx_set after[PTX_EVENTS];
};

static inline bool ptx_is_before(const struct ptx_relation *r, int a, int b)
{
    return r->after[a] >> b & 1;
}

static inline void ptx_put(struct ptx_relation *r, int a, int b)
{
    r->after[a] |= PTX_BIT(b);
}

/* Computes the transitive closure of a relation between `events` events, in place. */
static inline void ptx_close(struct ptx_relation *r, int events)
{
    for (int through = 0; through < events; through++)
        for (int a = 0; a < events; a++)
            if (ptx_is_before(r, a, through))
                r->after[a] |= r->after[through];
}

/* Adds "a is before b" to a transitive relation, and keeps the relation transitive. */
static inline void ptx_put_closed(struct ptx_relation *r, int events, int a, int b)
{
    ptx_set gained = r->after[b] | PTX_BIT(b);
    for (int e = 0; e < events; e++)
        if (e == a || ptx_is_before(r, e, a))
            r->after[e] |= gained;
}

#endif
