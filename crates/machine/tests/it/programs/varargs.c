#include <stdarg.h>
#include <stdio.h>
struct pair { int a; double b; }; struct big { long v[5]; };
static double sum(const char *f, ...)
{
	va_list ap, copy; va_start(ap, f); va_copy(copy, ap); double r = 0;
	for (; *f; f++) switch (*f) {
		case 'i': r += va_arg(ap, int); break; case 'l': r += va_arg(ap, long); break; case 'd': r += va_arg(ap, double); break;
		case 'D': r += va_arg(ap, long double); break; case 's': r += va_arg(ap, char *)[0]; break;
		case 'p': { struct pair p = va_arg(ap, struct pair); r += p.a + p.b; break; } case 'b': { struct big b = va_arg(ap, struct big); r += b.v[4]; break; } }
	r += va_arg(copy, int); va_end(copy); va_end(ap); return r;
}
static int wrap(char *buf, const char *f, ...) { va_list ap; va_start(ap, f); int n = vsprintf(buf, f, ap); va_end(ap); return n; }
int main(void)
{
	struct pair p = { 3, 0.5 }; struct big b = { { 0, 0, 0, 0, 42 } }; char buf[100];
	printf("%g\n", sum("iildDspbii", 1, -2, 30000000000L, 0.25, 1.5L, "A", p, b, 100, 200));
	printf("%g\n", sum("iiiiiiiiddddddddddi", 1, 2, 3, 4, 5, 6, 7, 8, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1.0, 9));
	int n = wrap(buf, "%d-%s-%c-%5.1f-%lx", -5, "str", 'q', 2.55, 0xdeadbeefL); printf("%d %s\n", n, buf);
	return 0;
}
