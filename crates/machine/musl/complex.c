/* Products and quotients of complex numbers, which compilers call as functions (`a * b` with NaN looked after, `a / b`). After
   Annex G of the C standard: infinities come out as infinities, and quotients are scaled so that they do not overflow on the way.
   The same text is linked into native programs, so that both give the same bits. */

double logb(double), scalbn(double, int), copysign(double, double), fabs(double);
float logbf(float), scalbnf(float, int), copysignf(float, float), fabsf(float);
long double logbl(long double), scalbnl(long double, int), copysignl(long double, long double), fabsl(long double);

#define IS_NAN(x) ((x) != (x))
#define IS_INF(x) ((x) == (x) && (x) - (x) != 0)
#define IS_FINITE(x) ((x) - (x) == 0)
#define INFINITE __builtin_inf()

#define COMPLEX(T, MULTIPLY, DIVIDE, COPYSIGN, FABS, LOGB, SCALBN) \
    __attribute__((weak)) _Complex T MULTIPLY(T a, T b, T c, T d) \
    { \
        T ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
        _Complex T z; \
        __real__ z = ac - bd; \
        __imag__ z = ad + bc; \
        if (!(IS_NAN(__real__ z) && IS_NAN(__imag__ z))) \
            return z; \
        int again = 0; \
        if (IS_INF(a) || IS_INF(b)) { \
            a = COPYSIGN(IS_INF(a) ? 1 : 0, a); \
            b = COPYSIGN(IS_INF(b) ? 1 : 0, b); \
            if (IS_NAN(c)) \
                c = COPYSIGN(0, c); \
            if (IS_NAN(d)) \
                d = COPYSIGN(0, d); \
            again = 1; \
        } \
        if (IS_INF(c) || IS_INF(d)) { \
            c = COPYSIGN(IS_INF(c) ? 1 : 0, c); \
            d = COPYSIGN(IS_INF(d) ? 1 : 0, d); \
            if (IS_NAN(a)) \
                a = COPYSIGN(0, a); \
            if (IS_NAN(b)) \
                b = COPYSIGN(0, b); \
            again = 1; \
        } \
        if (!again && (IS_INF(ac) || IS_INF(bd) || IS_INF(ad) || IS_INF(bc))) { \
            if (IS_NAN(a)) \
                a = COPYSIGN(0, a); \
            if (IS_NAN(b)) \
                b = COPYSIGN(0, b); \
            if (IS_NAN(c)) \
                c = COPYSIGN(0, c); \
            if (IS_NAN(d)) \
                d = COPYSIGN(0, d); \
            again = 1; \
        } \
        if (again) { \
            __real__ z = INFINITE * (a * c - b * d); \
            __imag__ z = INFINITE * (a * d + b * c); \
        } \
        return z; \
    } \
    __attribute__((weak)) _Complex T DIVIDE(T a, T b, T c, T d) \
    { \
        int by = 0; \
        T larger = FABS(c) > FABS(d) || IS_NAN(FABS(d)) ? FABS(c) : FABS(d); \
        T power = LOGB(larger); \
        if (IS_FINITE(power)) { \
            by = (int)power; \
            c = SCALBN(c, -by); \
            d = SCALBN(d, -by); \
        } \
        T norm = c * c + d * d; \
        _Complex T z; \
        __real__ z = SCALBN((a * c + b * d) / norm, -by); \
        __imag__ z = SCALBN((b * c - a * d) / norm, -by); \
        if (IS_NAN(__real__ z) && IS_NAN(__imag__ z)) { \
            if (norm == 0 && (!IS_NAN(a) || !IS_NAN(b))) { \
                __real__ z = COPYSIGN(INFINITE, c) * a; \
                __imag__ z = COPYSIGN(INFINITE, c) * b; \
            } else if ((IS_INF(a) || IS_INF(b)) && IS_FINITE(c) && IS_FINITE(d)) { \
                a = COPYSIGN(IS_INF(a) ? 1 : 0, a); \
                b = COPYSIGN(IS_INF(b) ? 1 : 0, b); \
                __real__ z = INFINITE * (a * c + b * d); \
                __imag__ z = INFINITE * (b * c - a * d); \
            } else if (IS_INF(power) && power > 0 && IS_FINITE(a) && IS_FINITE(b)) { \
                c = COPYSIGN(IS_INF(c) ? 1 : 0, c); \
                d = COPYSIGN(IS_INF(d) ? 1 : 0, d); \
                __real__ z = 0 * (a * c + b * d); \
                __imag__ z = 0 * (b * c - a * d); \
            } \
        } \
        return z; \
    }

COMPLEX(double, __muldc3, __divdc3, copysign, fabs, logb, scalbn)
COMPLEX(float, __mulsc3, __divsc3, copysignf, fabsf, logbf, scalbnf)
COMPLEX(long double, __mulxc3, __divxc3, copysignl, fabsl, logbl, scalbnl)
