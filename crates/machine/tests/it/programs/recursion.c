#include <stdio.h>
static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int odd(int n); static int even(int n) { return n == 0 ? 1 : odd(n - 1); } static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(void) { printf("%d %d %d\n", depth(100000), ack(2, 3), even(1001)); return 0; }
