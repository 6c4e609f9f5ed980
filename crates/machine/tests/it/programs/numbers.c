#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	char *end; printf("%ld %ld %ld %lu %lld\n", strtol("  -42x", &end, 10), strtol("0x1f", 0, 0), strtol("077", 0, 0), strtoul("zz", 0, 36), strtoll("9223372036854775807", 0, 10)); printf("%s\n", end);
	errno = 0; long big = strtol("99999999999999999999", 0, 10); printf("%ld %d\n", big, errno == ERANGE); printf("%d %ld %g %g\n", atoi("12ab"), atol("-7"), atof("2.5e3"), strtod("0x1.8p1", &end));
	printf("%g %g %g %.17g\n", strtod("inf", 0), strtod("nan", 0), strtod("1e-320", 0), strtod("0.1", 0)); printf("%g\n", (double)strtof("3.3", 0));
	div_t q = div(-17, 5); ldiv_t l = ldiv(17, -5); printf("%d %d %ld %ld %d\n", q.quot, q.rem, l.quot, l.rem, abs(-3));
	srand(1); int a = rand(), b = rand(); srand(1); printf("%d %d\n", a == rand(), a != b); printf("%" PRId64 " %jd\n", (int64_t)-5, (intmax_t)6);
	printf("%s\n", getenv("NOT_SET") ? "set" : "not set"); return 0;
}
