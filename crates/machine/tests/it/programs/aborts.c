#include <assert.h>
#include <stdio.h>
int main(void) { printf("before\n"); fflush(stdout); int x = 1; assert(x == 2); return 0; }
