#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor(200))) static void second(void) { puts("constructor 200"); }
__attribute__((constructor(101))) static void first(void) { puts("constructor 101"); }
__attribute__((destructor)) static void plain(void) { puts("destructor"); }
__attribute__((destructor)) static void another(void) { puts("another destructor"); }
__attribute__((destructor(101))) static void last(void) { puts("destructor 101"); }
__attribute__((destructor(200))) static void before_last(void) { puts("destructor 200"); }
static void at_exit(void) { puts("atexit"); }

int main(void)
{
    atexit(at_exit);
    puts("main");
    exit(3);
}
