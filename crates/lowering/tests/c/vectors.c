typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((ext_vector_type(4)));
v4 work(v4 a, v4 b, int i) {
    v4 c = a + b * 2 - (a < b);
    c[i] = 5;
    c = __builtin_shufflevector(a, c, 0, 5, -1, 7);
    return c + a[1] + (v4){ 1, 2, 3, 4 } + (b >> 1);
}
f4 swizzle(f4 a) { a.xy = a.wz; return a.wzyx * (f4)(1, 2, 3, 4) + __builtin_convertvector((v4){ 1, 2 }, f4); }
f4 choose(f4 a, f4 b) { return a > b ? a : b; }
