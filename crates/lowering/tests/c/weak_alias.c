int real(int a) { return a + 1; }
int other(int) __attribute__((alias("real")));
int soft(int) __attribute__((weak, alias("real")));
int missing(void) __attribute__((weak));
__attribute__((weak)) int maybe(void) { return 1; }
int data = 3;
extern int data2 __attribute__((alias("data")));
static int impl(void) { return 2; }
static void *choose(void) { return (void *)impl; }
int chosen(void) __attribute__((ifunc("choose")));
__attribute__((visibility("hidden"), noreturn)) void stop(void) { for (;;); }
__attribute__((constructor)) static void start(void) { data = other(1); }
int use(void) { return other(2) + soft(3) + maybe() + chosen() + (missing ? missing() : 0); }
int renamed(void) __asm__("other_name");
int call(void) { return renamed(); }
