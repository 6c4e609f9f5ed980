#include <stdio.h>
#include <stdlib.h>
static long double power(long double base, int n) { long double r = 1; while (n--) r *= base; return r; }
int main(void)
{
	volatile long double a = 1.0L / 3, b = 1e4000L, c = -2.5L, z = 0;
	printf("%.20Lg %Lg %Lf %.10Le %La\n", a, b, c, a * b, a);
	printf("%.20Lg %.20Lg %.20Lg %.20Lg\n", a + c, a - c, a * c, a / c);
	printf("%d %d %d %d\n", a < c, a > c, a == a, z / z == z / z);
	printf("%d %lld %llu %g %g\n", (int)c, (long long)(b / 1e3990L), (unsigned long long)1e19L, (double)a, (double)(float)a);
	printf("%.20Lg %.20Lg %.20Lg\n", (long double)-5, (long double)18446744073709551615u, (long double)0.1);
	printf("%.20Lg %.20Lg\n", power(1.1L, 100), strtold("3.14159265358979323846", 0));
	printf("%zu %Lg %Lg %Lg\n", sizeof a, 1 / z, -1 / z, -c);
	return 0;
}
