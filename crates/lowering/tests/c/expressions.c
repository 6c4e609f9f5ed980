int g(int);
#define MAX(a, b) ({ __typeof__(a) _a = (a), _b = (b); _a > _b ? _a : _b; })
int all(int a, int b, int *p) {
    int x = a ?: b, y = (g(a), g(b)), z = a && b || !g(3);
    x += MAX(a, b) + (a ? g(1) : g(2)) + (p && *p ? 1 : 0) + sizeof(int[a]);
    p[a++] = b--; ++*p; (*p)--; *p++ ^= 3; a <<= 2; b %= 3;
    return x + y + z + *(a > b ? p : &a) + (a < 3 && ({ int k = g(4); k; }));
}
_Bool both(int a, int b) { return a && b; }
