#include <stdio.h>
#include <stddef.h>
#include <wchar.h>
int main(void)
{
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%i]\n", 42, 42, 42, 42, 42, 42, -42); printf("[%u] [%o] [%x] [%X] [%#x] [%#o] [%08lx]\n", 42u, 42u, 0xbeefu, 0xbeefu, 255u, 8u, 0xabcdefL);
	printf("[%hhd] [%hd] [%ld] [%lld] [%zu] [%td] [%jd]\n", (char)-1, (short)-2, -3L, -4LL, (size_t)5, (ptrdiff_t)6, (long)7);
	printf("[%f] [%.3f] [%10.2f] [%-10.1f] [%+.0f] [%e] [%.2E] [%g] [%G] [%#g] [%a]\n", 3.14159, 3.14159, 3.14159, 3.14159, 2.5, 12345.678, 0.00012, 1e10, 1e-10, 1.0, 0.5);
	printf("[%s] [%10s] [%-10s] [%.2s] [%c] [%5c] [%%] [%.*s] [%*d]\n", "str", "str", "str", "str", 'c', 'c', 2, "abc", 6, 42); int n; printf("four%n\n", &n); printf("%d\n", n);
	printf("[%2$s %1$s]\n", "a", "b"); printf("[%.0e] [%.15g] [%.20f] [%5.1e] [%g] [%g]\n", 15.0, 0.1, 0.1, 9.99e9, 100000.0, 1000000.0); printf("[%lc] [%ls]\n", L'w', L"wide");
	char b[10]; int k = snprintf(b, sizeof b, "%s", "longer than ten"); printf("%d %s\n", k, b); printf("[%.3d] [%10.4d] [%-#10x|] [%p]\n", 5, 7, 255, (void *)0); puts("done"); return 0;
}
