#include <stdio.h>
typedef int v4 __attribute__((vector_size(16))); typedef float f4 __attribute__((vector_size(16))); typedef unsigned char b16 __attribute__((vector_size(16)));
int main(void)
{
	v4 a = { 1, -2, 3, 4 }, b = { 10, 20, 30, 40 }, c = a * b + 1; for (int i = 0; i < 4; i++) printf("%d ", c[i]); c[2] = 99; v4 m = a < b, s = c >> 1; for (int i = 0; i < 4; i++) printf("%d/%d ", m[i], s[i]); puts("");
	f4 f = { 1, 2, 3, 4 }, g = f / 2.0f; for (int i = 0; i < 4; i++) printf("%g ", g[i]); v4 h = __builtin_convertvector(g, v4); printf("%d ", h[3]); v4 sh = __builtin_shufflevector(a, b, 0, 4, 1, 5); printf("%d %d\n", sh[1], sh[3]);
	union { v4 v; b16 c; } u = { a }; printf("%d %d\n", u.c[4], (int)((b16)a)[0]); return 0;
}
