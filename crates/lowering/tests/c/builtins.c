#include <stddef.h>
#include <string.h>
struct s { int a[20]; };
int all(char *to, const char *from, size_t n, int a, int b, unsigned long c, unsigned long d) {
    int r; unsigned long u;
    memcpy(to, from, n); memmove(to, from, n); memset(to, 7, n); __builtin_memcpy_inline(to, from, 16);
    struct s z = { 0 }; struct s y = { { 1, 2, 3 } };
    int o = __builtin_add_overflow(a, b, &r) + __builtin_sub_overflow(a, b, &r) + __builtin_mul_overflow(c, d, &u);
    o += __builtin_clz(a) + __builtin_ctzl(c) + __builtin_popcount(b) + __builtin_bswap32(a) + __builtin_ffs(b);
    if (__builtin_expect(a > 3, 0)) __builtin_trap();
    if (a == 77) __builtin_unreachable();
    __builtin_assume(b > 0);
    int *p = __builtin_assume_aligned(to, 16);
    o += (int)__builtin_object_size(to, 0) + __builtin_constant_p(a) + *p + (int)__builtin_fabs(1.5 * a);
    o += (int)(size_t)__builtin_return_address(0) + (int)(size_t)__builtin_frame_address(0);
    __builtin_prefetch(to);
    return o + z.a[3] + y.a[1] + (int)offsetof(struct s, a[4]) + (int)strlen(from) + __builtin_rotateleft32(a, 3);
}
