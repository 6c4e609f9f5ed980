#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile sig_atomic_t seen; static void handler(int n) { seen = n; } static void last(void) { puts("at exit"); } static void first(void) { puts("first"); }
__attribute__((constructor)) static void before(void) { puts("constructor"); }
int main(void) { atexit(last); atexit(first); signal(SIGUSR1, handler); raise(SIGUSR1); printf("%d\n", seen == SIGUSR1); signal(SIGUSR1, SIG_IGN); printf("%d\n", raise(SIGUSR1)); fflush(stdout); exit(5); }
