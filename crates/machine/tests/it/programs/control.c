#include <stdio.h>
static const char *day(int n) { switch (n) { case 0: return "sun"; case 1: case 2: return "early"; case 100: return "far"; case -5: return "neg"; default: return "?"; } }
static long sparse(long n) { switch (n) { case 1L << 40: return 1; case -(1L << 50): return 2; case 7: return 3; default: return 4; } }
static int gotos(int n) { static void *table[] = { &&a, &&b, &&c }; int r = 0; goto *table[n % 3]; a: r += 1; b: r += 10; c: r += 100; return r; }
static int fall(int n) { int r = 0; switch (n) { case 1: r++; case 2: r += 10; break; case 3: for (;;) { if (r > 50) break; r += 20; } } return r; }
int main(void)
{
	for (int i = -6; i < 4; i++) printf("%s ", day(i)); puts(day(100));
	printf("%ld %ld %ld %ld\n", sparse(1L << 40), sparse(-(1L << 50)), sparse(7), sparse(0));
	printf("%d %d %d\n", gotos(0), gotos(1), gotos(2)); printf("%d %d %d\n", fall(1), fall(2), fall(3));
	int x = 5, n = 0; do { if (x & 1) continue; n++; } while (--x > 0 && n < 10); printf("%d %d\n", x, n);
	int a = 1, b = 0; printf("%d %d %d %d\n", a && b, a || b, a ? b ? 1 : 2 : 3, (a, b));
	unsigned k = 3; while (k-- > 0) printf("%u", k); putchar('\n');
	return 0;
}
