#include <complex.h>
#include <stdbool.h>
float f(float a, double b, long double c) { return -a + (float)b * (float)c - 1.5f; }
long double ld(long double x, __int128 i, unsigned __int128 u) { return x / 3.0L + i + u + 0.1L; }
double complex z(double complex a, float complex b) { return a * b / (1.0 + 2.0 * I) - conj(a); }
_Bool truth(int a, double b, void *p) { bool r = a; r = r && b; r |= p != 0; return !r; }
__int128 wide(__int128 a, unsigned __int128 b) { return a * (__int128)b / 7 % 5 + ((__int128)0x123456789abcdef0 << 64 | 0xfedcba9876543210); }
_BitInt(7) tiny(_BitInt(7) a, unsigned _BitInt(3) b) { return a + b; }
_BitInt(256) huge(_BitInt(256) a) {
    return a * a + 123456789012345678901234567890123456789012345678901234567890wb;
}
int compare(double a, double b) { return (a < b) + (a <= b) + (a > b) + (a >= b) + (a == b) + (a != b) + __builtin_isunordered(a, b); }
unsigned convert(double a, unsigned long b, signed char c, unsigned short d) {
    return (unsigned)a + (unsigned)b + c + d + (int)(float)b + (unsigned long)a + (short)a + (unsigned char)(long)a;
}
int rem(int a, unsigned b) { return a % 3 + b % 5 + (a >> 2) + (b >> 3) + (a << 1) + ~a + (a ^ 3) + a / 7 + b / 9; }
double fmod_like(double a) { return a - 1.0 / 0.0 + __builtin_nan("") + __builtin_inf(); }
long double complex zl(long double complex a) { return a + 1.0L; }
