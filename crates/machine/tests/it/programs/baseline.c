/* Vector instructions that every x86-64 processor has, and usual inline assembly. */
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void show(const char *name, __m128i v)
{
	unsigned char b[16];
	_mm_storeu_si128((__m128i *)b, v);
	printf("%s", name);
	for (int i = 0; i < 16; i++)
		printf(" %02x", b[i]);
	puts("");
}

int main(void)
{
	unsigned char x[16], y[16];
	for (int i = 0; i < 16; i++)
		x[i] = i * 37 + 200, y[i] = 255 - i * 91;
	__m128i a = _mm_loadu_si128((__m128i *)x), b = _mm_loadu_si128((__m128i *)y), n = _mm_cvtsi32_si128(3);
	show("add", _mm_add_epi8(a, b)); show("adds", _mm_adds_epi16(a, b)); show("subus", _mm_subs_epu8(a, b));
	show("avg", _mm_avg_epu8(a, b)); show("avgw", _mm_avg_epu16(a, b)); show("sad", _mm_sad_epu8(a, b));
	show("mulhi", _mm_mulhi_epi16(a, b)); show("mulhu", _mm_mulhi_epu16(a, b)); show("madd", _mm_madd_epi16(a, b));
	show("mulu", _mm_mul_epu32(a, b)); show("packs", _mm_packs_epi16(a, b)); show("packus", _mm_packus_epi16(a, b));
	show("packd", _mm_packs_epi32(a, b)); show("slli", _mm_slli_epi16(a, 3)); show("sll", _mm_sll_epi32(a, n));
	show("srli", _mm_srli_epi64(a, 7)); show("srl", _mm_srl_epi16(a, n)); show("srai", _mm_srai_epi32(a, 5));
	show("sra", _mm_sra_epi16(a, n)); show("srli99", _mm_srli_epi32(a, 99)); show("bytes", _mm_slli_si128(a, 5));
	show("right", _mm_srli_si128(a, 3)); show("unpack", _mm_unpacklo_epi8(a, b)); show("shuffle", _mm_shuffle_epi32(a, 0x1b));
	show("eq", _mm_cmpeq_epi8(a, b)); show("gt", _mm_cmpgt_epi16(a, b)); show("max", _mm_max_epu8(a, b));
	show("min", _mm_min_epi16(a, b)); show("andnot", _mm_andnot_si128(a, b)); show("set", _mm_set1_epi16(-7));
	printf("mask %x\n", _mm_movemask_epi8(a));
	__m128d d = _mm_set_pd(2.5, -3.75), e = _mm_set_pd(1e300, 0.5);
	__m128 f = _mm_set_ps(1.5f, -2.5f, 3.5f, 1e20f), g = _mm_set1_ps(2);
	show("cvt", _mm_cvtps_epi32(f)); show("cvtt", _mm_cvttpd_epi32(d)); show("sqrt", _mm_castpd_si128(_mm_sqrt_pd(e)));
	show("minpd", _mm_castpd_si128(_mm_min_pd(d, e))); show("cmpps", _mm_castps_si128(_mm_cmplt_ps(f, g)));
	show("cmpsd", _mm_castpd_si128(_mm_cmpge_sd(d, e))); show("narrow", _mm_castps_si128(_mm_cvtpd_ps(d)));
	printf("%d %d %d %lld %d\n", _mm_movemask_pd(d), _mm_comilt_sd(d, e), _mm_ucomineq_ss(f, g), (long long)_mm_cvtsd_si64(d), _mm_cvttss_si32(g));
	/* The length of a text, sixteen bytes at a time. */
	_Alignas(16) char text[48] = "as long as a text of thirty-three";
	unsigned at = 0, found;
	while (!(found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128((__m128i *)(text + at)), _mm_setzero_si128()))))
		at += 16;
	printf("%u\n", at + __builtin_ctz(found));
	uint64_t v = 0x0123456789abcdef, low, high, bit;
	uint32_t w = 0x12345678;
	__asm__("bswapq %0" : "+r"(v)); __asm__("bswap %0" : "+r"(w));
	__asm__("mulq %3" : "=a"(low), "=d"(high) : "0"(v), "r"(v) : "cc");
	__asm__("bsrq %1, %0" : "=r"(bit) : "r"(v) : "cc");
	__asm__ volatile("nop\n\t.p2align 4" ::: "memory");
	_mm_lfence(); _mm_pause();
	printf("%llx %x %llx %llx %llu\n", (long long)v, w, (long long)low, (long long)high, (long long)bit);
	uint32_t before = (uint32_t)__builtin_ia32_rdtsc(), eax, ebx, ecx, edx;
	__asm__ volatile("cpuid" : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "0"(1), "2"(0));
	printf("%d %d\n", (edx >> 26 & 1), before == (uint32_t)__builtin_ia32_rdtsc() ? 1 : 0);
	return 0;
}
