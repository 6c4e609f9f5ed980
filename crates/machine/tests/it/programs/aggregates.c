#include <stdio.h>
#include <complex.h>
struct small { int a, b; }; struct mixed { double d; int i; }; struct floats { float x, y, z; }; struct big { long v[10]; char name[7]; };
static struct small mk(int a) { return (struct small){ a, a * 2 }; }
static struct mixed mm(struct mixed m) { m.d *= 2; m.i++; return m; }
static struct floats ff(struct floats f, float k) { return (struct floats){ f.x * k, f.y * k, f.z * k }; }
static struct big bb(struct big b, int k) { for (int i = 0; i < 10; i++) b.v[i] += k; b.name[0] = 'B'; return b; }
static double complex cc(double complex a) { return a * (1 + 2 * I); }
int main(void)
{
	struct small s = mk(3); printf("%d %d\n", s.a, s.b);
	struct mixed m = mm((struct mixed){ 1.5, 7 }); printf("%g %d\n", m.d, m.i);
	struct floats f = ff((struct floats){ 1, 2, 3 }, 1.5f); printf("%g %g %g\n", f.x, f.y, f.z);
	struct big b = { { 1, 2, 3 }, "abc" }, c = bb(b, 10); printf("%ld %ld %s %s\n", c.v[0], c.v[9], c.name, b.name);
	double complex z = cc(3 + 4 * I); printf("%g %g\n", creal(z), cimag(z));
	int grid[3][4] = { { 1, 2 }, { [2] = 5 }, { 0 } }, sum = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) sum = sum * 3 + grid[i][j];
	printf("%d\n", sum);
	struct { char c; struct small s[2]; } n = { 'x', { { 1, 2 }, { 3, 4 } } }, o = n; o.s[1].b = 9; printf("%d %d %zu\n", n.s[1].b, o.s[1].b, sizeof n);
	int len = sum % 7 + 3, vla[len]; for (int i = 0; i < len; i++) vla[i] = i * i; printf("%d %zu\n", vla[len - 1], sizeof vla / sizeof *vla);
	return 0;
}
