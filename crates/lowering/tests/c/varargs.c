#include <stdarg.h>
struct big { long a[5]; };
struct pair { double x; int y; };
double sum(int count, ...) {
    va_list list, copy;
    double total = 0;
    va_start(list, count);
    va_copy(copy, list);
    for (int i = 0; i < count; i++) total += va_arg(list, int);
    total += va_arg(copy, double) + va_arg(copy, long double);
    struct big b = va_arg(copy, struct big);
    struct pair p = va_arg(copy, struct pair);
    va_end(copy);
    va_end(list);
    return total + b.a[0] + p.x;
}
extern int printf(const char *, ...);
void call(struct big b, struct pair p) { printf("%d %f %s\n", 1, 2.0f, "three", b, p); }
