// flags: -fextend-arguments=32
int pick(int a, int b, int c) { return a ? b : c; }
long absolute(long a) { return __builtin_labs(a); }
double pickd(int a) { return a ? 1.0 : 2.0; }
