// flags: -std=gnu89
extern inline int body_only(int a) { return a + 1; }
inline int emitted(int a) { return a * 2; }
extern __inline__ __attribute__((always_inline, gnu_inline)) int available(int a) { return a * 3; }
int use(int a) { return body_only(a) + emitted(a) + available(a) + implicit(a); }
