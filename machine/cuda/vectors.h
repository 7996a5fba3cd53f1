/* CUDA's vector types, and the functions that make them. */
#ifndef MACHINE_VECTORS_H
#define MACHINE_VECTORS_H

#define MAKE_1(name, type)                                                                                   \
    static inline __attribute__((always_inline, unused)) name make_##name(type x)                            \
    {                                                                                                        \
        return name{x};                                                                                      \
    }
#define MAKE_2(name, type)                                                                                   \
    static inline __attribute__((always_inline, unused)) name make_##name(type x, type y)                    \
    {                                                                                                        \
        return name{x, y};                                                                                   \
    }
#define MAKE_3(name, type)                                                                                   \
    static inline __attribute__((always_inline, unused)) name make_##name(type x, type y, type z)            \
    {                                                                                                        \
        return name{x, y, z};                                                                                \
    }
#define MAKE_4(name, type)                                                                                   \
    static inline __attribute__((always_inline, unused)) name make_##name(type x, type y, type z, type w)    \
    {                                                                                                        \
        return name{x, y, z, w};                                                                             \
    }
#define VECTOR_1(name, type)                                                                                 \
    struct name {                                                                                            \
        type x;                                                                                              \
    };                                                                                                       \
    MAKE_1(name, type)
#define VECTOR_2(name, type)                                                                                 \
    struct __attribute__((aligned(2 * sizeof(type)))) name {                                                 \
        type x, y;                                                                                           \
    };                                                                                                       \
    MAKE_2(name, type)
#define VECTOR_3(name, type)                                                                                 \
    struct name {                                                                                            \
        type x, y, z;                                                                                        \
    };                                                                                                       \
    MAKE_3(name, type)
#define VECTOR_4(name, type)                                                                                 \
    struct __attribute__((aligned(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16))) name {                    \
        type x, y, z, w;                                                                                     \
    };                                                                                                       \
    MAKE_4(name, type)
#define VECTORS(name, type)                                                                                  \
    VECTOR_1(name##1, type) VECTOR_2(name##2, type) VECTOR_3(name##3, type) VECTOR_4(name##4, type)

VECTORS(char, signed char)
VECTORS(uchar, unsigned char)
VECTORS(short, short)
VECTORS(ushort, unsigned short)
VECTORS(long, long)
VECTORS(ulong, unsigned long)
VECTORS(longlong, long long)
VECTORS(ulonglong, unsigned long long)
VECTORS(float, float)
VECTORS(double, double)
VECTORS(int, int)
VECTOR_1(uint1, unsigned)
VECTOR_2(uint2, unsigned)
MAKE_3(uint3, unsigned)
VECTOR_4(uint4, unsigned)

#undef MAKE_1
#undef MAKE_2
#undef MAKE_3
#undef MAKE_4
#undef VECTOR_1
#undef VECTOR_2
#undef VECTOR_3
#undef VECTOR_4
#undef VECTORS

#endif
