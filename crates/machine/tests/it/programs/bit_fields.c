#include <stdio.h>
#include <string.h>
struct s { unsigned a : 3; int b : 5; unsigned c : 13; long long d : 40; unsigned : 0; unsigned char e : 1, f : 7; };
union u { struct s s; unsigned char raw[sizeof(struct s)]; };
int main(void)
{
	struct s local; /* never written as a whole: the fields' neighbours stay undefined */
	local.a = 5; local.b = -7; local.c = 8000; local.d = -123456789012; local.e = 1; local.f = 99;
	if (local.a == 5 && local.b < 0) printf("%u %d %u %lld %u %u\n", local.a, local.b, local.c, (long long)local.d, local.e, local.f);
	local.a += 4; local.b *= 2; local.d++; printf("%u %d %lld\n", local.a, local.b, (long long)local.d);
	union u x; memset(&x, 0, sizeof x); x.s.a = 7; x.s.b = -1; x.s.f = 127;
	for (size_t i = 0; i < sizeof x; i++) printf("%02x", x.raw[i]);
	puts("");
	return 0;
}
