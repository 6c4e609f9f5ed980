struct tiny { char c; };
struct small { int a, b; };
struct mixed { double d; int i; };
struct floats { float a, b, c; };
struct large { long a[10]; };
struct empty {};
struct tiny t(struct tiny x) { x.c++; return x; }
struct small s(struct small x) { x.a += x.b; return x; }
struct mixed m(struct mixed x) { return (struct mixed){ x.d * 2, x.i }; }
struct floats f(struct floats x) { return x; }
struct large l(struct large x, int i) { x.a[i] = 1; return x; }
struct empty e(struct empty x) { return x; }
long use(struct large *p) {
    struct large copy = *p, other;
    other = copy;
    return l(other, 3).a[3] + s((struct small){ 1, 2 }).a + t((struct tiny){ 'x' }).c + (long)m((struct mixed){ 1, 2 }).d;
}
