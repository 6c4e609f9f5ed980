#include <stdio.h>
#include <math.h>
#include <float.h>
int main(void)
{
	volatile double d = 1.0 / 3, e = -2.5e300, z = 0; volatile float f = 0.1f, g = 16777217.0f;
	printf("%.17g %.17g %a %e %f %g\n", d, e * d, d, e, d, f);
	printf("%.9g %.9g %.9g %.9g\n", f + g, f * 3, f / g, -f);
	printf("%d %d %u %lld %llu\n", (int)2.9, (int)-2.9, (unsigned)3e9, (long long)1e18, (unsigned long long)1.5e19);
	printf("%f %f %f %f\n", (double)-7, (double)4000000000u, (double)18446744073709551615u, (float)16777217);
	printf("%d %d %d %d %d %d\n", d < e, d > e, d == d, z / z == z / z, 1 / z > 1e308, z / z != z / z);
	printf("%g %g %g %g %g\n", floor(-1.5), ceil(-1.5), trunc(2.7), round(2.5), rint(2.5));
	printf("%.15g %.15g %.15g %.15g %.15g\n", sqrt(2), sin(1), exp(1), log(10), pow(2, 0.5));
	printf("%g %g %g %d %d\n", fmod(7.5, 2), fabs(e), copysign(1, -0.0), isnan(z / z), isinf(1 / z));
	printf("%.15g %.15g %.15g %.15g\n", atan2(1, 2), tanh(0.5), cbrt(27), hypot(3, 4));
	int x; double m = frexp(10, &x); printf("%g %d %g\n", m, x, ldexp(0.75, 4));
	printf("%g %g %g\n", DBL_MAX, DBL_MIN, FLT_EPSILON); printf("%g %g\n", 1 / z, -1 / z);
	double acc = 0; for (int i = 1; i <= 1000; i++) acc += 1.0 / i * f + d; printf("%.17g\n", acc);
	return 0;
}
