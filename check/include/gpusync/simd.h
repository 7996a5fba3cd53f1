/*
 * CUDA's functions on the two halves or the four bytes of a 32-bit word (CUDA Math API, "SIMD Intrinsics"),
 * and its sums, maxima and minima of three numbers ("DPX"). The suffix 2 or 4 is the number of parts of the
 * word, s or u says whether they are signed, ss and us that they saturate.
 */
#ifndef GPUSYNC_CHECK_SIMD_H
#define GPUSYNC_CHECK_SIMD_H

namespace gpusync_check
{
/* Returns the word whose parts are operation(x, y), where x and y are the parts of a and b as long long. */
template <class Part, class Operation>
CHECK_DEVICE unsigned of_parts(unsigned a, unsigned b, Operation operation)
{
    constexpr unsigned bits = 8 * sizeof(Part), ones = (1u << bits) - 1;
    unsigned all = 0;
    for (unsigned at = 0; at < 32; at += bits)
        all |= ((unsigned)operation((long long)(Part)(a >> at), (long long)(Part)(b >> at)) & ones) << at;
    return all;
}
/* Returns the sum of operation(x, y) over all parts. */
template <class Part, class Operation>
CHECK_DEVICE unsigned sum_of_parts(unsigned a, unsigned b, Operation operation)
{
    unsigned sum = 0;
    for (unsigned at = 0; at < 32; at += 8 * sizeof(Part))
        sum += (unsigned)operation((long long)(Part)(a >> at), (long long)(Part)(b >> at));
    return sum;
}
/* Returns the number of type Part that is nearest to x. */
template <class Part>
CHECK_DEVICE long long within(long long x)
{
    constexpr long long most =
        std::is_signed_v<Part> ? (1ll << (8 * sizeof(Part) - 1)) - 1 : (1ll << 8 * sizeof(Part)) - 1;
    constexpr long long least = std::is_signed_v<Part> ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}
} // namespace gpusync_check

#define PARTS(name, Part, combine, expression)                                                               \
    CHECK_DEVICE unsigned name(unsigned a, unsigned b)                                                       \
    {                                                                                                        \
        typedef Part part;                                                                                   \
        return gpusync_check::combine<part>(                                                                 \
            a, b, [](long long x, long long y) __attribute__((always_inline))->long long {                   \
                (void)sizeof(part);                                                                          \
                return expression;                                                                           \
            });                                                                                              \
    }
#define PART(name, Part, expression)                                                                         \
    CHECK_DEVICE unsigned name(unsigned a)                                                                   \
    {                                                                                                        \
        typedef Part part;                                                                                   \
        return gpusync_check::of_parts<part>(                                                                \
            a, 0, [](long long x, long long) __attribute__((always_inline))->long long {                     \
                (void)sizeof(part);                                                                          \
                return expression;                                                                           \
            });                                                                                              \
    }
#define SIGNED(name, expression)                                                                             \
    PARTS(name##2, short, of_parts, expression) PARTS(name##4, signed char, of_parts, expression)
#define UNSIGNED(name, expression)                                                                           \
    PARTS(name##2, unsigned short, of_parts, expression) PARTS(name##4, unsigned char, of_parts, expression)
#define OF_ONE(name, expression) PART(name##2, short, expression) PART(name##4, signed char, expression)
/* Defines comparisons of parts. If a comparison is true, __vcmp sets all bits of the part, and __vset sets it
 * to 1. */
#define COMPARED(kind, name, sign) kind(__vcmp##name, x sign y ? -1 : 0) kind(__vset##name, x sign y ? 1 : 0)
OF_ONE(__vabs, x < 0 ? -x : x)
OF_ONE(__vabsss, gpusync_check::within<part>(x < 0 ? -x : x))
OF_ONE(__vneg, -x)
OF_ONE(__vnegss, gpusync_check::within<part>(-x))
SIGNED(__vabsdiffs, x < y ? y - x : x - y)
UNSIGNED(__vabsdiffu, x < y ? y - x : x - y)
PARTS(__vadd4, signed char, of_parts, x + y)
SIGNED(__vaddss, gpusync_check::within<part>(x + y))
UNSIGNED(__vaddus, gpusync_check::within<part>(x + y))
SIGNED(__vsub, x - y)
SIGNED(__vsubss, gpusync_check::within<part>(x - y))
UNSIGNED(__vsubus, gpusync_check::within<part>(x - y))
/* The signed average rounds away from zero if two integers are equally near. */
SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
UNSIGNED(__vavgu, (x + y + 1) >> 1)
UNSIGNED(__vhaddu, (x + y) >> 1)
PARTS(__vmaxs4, signed char, of_parts, x < y ? y : x)
UNSIGNED(__vmaxu, x < y ? y : x)
SIGNED(__vmins, y < x ? y : x)
UNSIGNED(__vminu, y < x ? y : x)
COMPARED(SIGNED, eq, ==)
COMPARED(SIGNED, ne, !=)
COMPARED(SIGNED, ges, >=)
COMPARED(SIGNED, gts, >)
COMPARED(SIGNED, les, <=)
COMPARED(SIGNED, lts, <)
COMPARED(UNSIGNED, geu, >=)
COMPARED(UNSIGNED, gtu, >)
COMPARED(UNSIGNED, leu, <=)
COMPARED(UNSIGNED, ltu, <)
PARTS(__vsads2, short, sum_of_parts, x < y ? y - x : x - y)
PARTS(__vsads4, signed char, sum_of_parts, x < y ? y - x : x - y)
PARTS(__vsadu2, unsigned short, sum_of_parts, x < y ? y - x : x - y)
PARTS(__vsadu4, unsigned char, sum_of_parts, x < y ? y - x : x - y)
#undef PARTS
#undef PART
#undef SIGNED
#undef UNSIGNED
#undef OF_ONE
#undef COMPARED

#endif
