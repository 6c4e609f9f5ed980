#include <setjmp.h>
static jmp_buf place;
static void leave(int n) { longjmp(place, n); }
int run(void) { volatile int tries = 0; int r = setjmp(place); if (r < 3) { tries++; leave(r + 1); } return tries; }
int builtin(void **buf) { if (__builtin_setjmp(buf)) return 1; __builtin_longjmp(buf, 1); }
