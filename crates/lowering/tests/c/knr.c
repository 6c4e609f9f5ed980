// flags: -std=gnu89
add(a, b, c, f) int a; char b; short *c; float f; { return a + b + *c + f; }
char *name() { return "n"; }
int call() { short s = 1; return add(1, 2, &s, 3.0) + *name(1, 2); }
