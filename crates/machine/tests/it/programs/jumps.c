#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf env; static int depth;
static void dive(int n) { char pad[64]; pad[0] = (char)n; if (n == 0) longjmp(env, 42); depth++; dive(n - 1); if (pad[0] == 99) puts("?"); }
static int protect(void (*f)(void)) { jmp_buf save; __builtin_memcpy(&save, &env, sizeof env); int r = setjmp(env); if (r == 0) f(); __builtin_memcpy(&env, &save, sizeof env); return r; }
static void bad(void) { longjmp(env, 7); } static void nested(void) { printf("inner %d\n", protect(bad)); longjmp(env, 8); } static void good(void) {}
int main(void)
{
	volatile int tries = 0; int r = setjmp(env); tries++;
	if (r == 0) dive(20); printf("%d %d %d\n", r, depth, tries);
	printf("%d\n", protect(good)); printf("%d\n", protect(bad)); printf("outer %d\n", protect(nested));
	if (setjmp(env) < 1) longjmp(env, 0); puts("zero becomes one");
	return 0;
}
