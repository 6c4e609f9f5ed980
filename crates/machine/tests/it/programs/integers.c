#include <stdio.h>
#include <stdint.h>
#define SHOW(e) printf(#e " = %lld\n", (long long)(e))
int main(void)
{
	volatile int8_t c = -100; volatile uint8_t uc = 200; volatile int16_t s = -30000; volatile uint16_t us = 60000;
	volatile int32_t i = -2000000000; volatile uint32_t u = 4000000000u; volatile int64_t l = -9000000000000000000; volatile uint64_t ul = 18000000000000000000u;
	SHOW(c + uc); SHOW((int8_t)(c * 3)); SHOW(s / 7); SHOW(s % 7); SHOW(us >> 3); SHOW(i / -3); SHOW(i % 1000); SHOW(u / 3); SHOW(u % 1000);
	SHOW(l / 7); SHOW(l % 7); SHOW(ul / 7); SHOW(ul % 7); SHOW(i >> 5); SHOW(u >> 5); SHOW(u << 3); SHOW(~i); SHOW(-c); SHOW(!c);
	SHOW(c < uc); SHOW(i < (int)u); SHOW((unsigned)i < u); SHOW(l < (int64_t)ul); SHOW(us == 60000); SHOW(i & u); SHOW(i | us); SHOW(s ^ u);
	SHOW((int)(short)u); SHOW((uint8_t)i); SHOW((int64_t)i * 3); SHOW((uint64_t)u * u);
	volatile __int128 w = (__int128)l * 1000003; volatile unsigned __int128 uw = (unsigned __int128)ul * ul;
	SHOW(w >> 40); SHOW(w / 12345678901); SHOW(w % 1000); SHOW(uw >> 100); SHOW(w < 0); SHOW((uw << 7) >> 64); SHOW((long long)(uw / 1000000007));
	int r; long lr; unsigned ur;
	SHOW(__builtin_add_overflow(i, i, &r)); SHOW(r); SHOW(__builtin_mul_overflow(l, 3L, &lr)); SHOW(__builtin_sub_overflow(1u, 2u, &ur)); SHOW(ur);
	SHOW(__builtin_bswap32(u)); SHOW(__builtin_bswap64(ul)); SHOW(__builtin_popcount(u)); SHOW(__builtin_clz(u)); SHOW(__builtin_ctzll(ul)); SHOW(__builtin_ffs(i)); SHOW(__builtin_parity(u));
	_Bool b = c; SHOW(b); b = 0.0; SHOW(b);
	return 0;
}
