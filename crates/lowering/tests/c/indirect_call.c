typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
op table[] = { add, sub, 0 };
struct handler { const char *name; op call; struct { op nested; } inner; };
const struct handler handlers[] = { { "add", add, { sub } }, { .name = "sub", .call = sub } };
int old();
int run(int which, op extra) {
    return table[which](1, 2) + extra(3, 4) + handlers[0].inner.nested(5, 6) + old(1, 2.0) + (*add)(1, 2);
}
