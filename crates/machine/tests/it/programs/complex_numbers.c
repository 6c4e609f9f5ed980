#include <complex.h>
#include <math.h>
#include <stdio.h>

/* The sign of a NaN is nobody's business. */
static double plain(double x) { return isnan(x) ? copysign(NAN, 1) : x; }
static void show(const char *name, double _Complex z) { printf("%s %a %a\n", name, plain(creal(z)), plain(cimag(z))); }

int main(void)
{
    double values[] = {0.0, -0.0, 1.0, -2.5, 1e300, 1e-310, INFINITY, -INFINITY, NAN};
    int n = sizeof values / sizeof *values;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double _Complex x = CMPLX(values[a], values[b]), y = CMPLX(values[b], 3.0);
            show("product", x * y);
            if (a < 4 && b < 4)
                show("quotient", x / y);
        }
    float _Complex f = CMPLXF(1.5f, -2.0f);
    printf("%a %a\n", crealf(f * f), cimagf(f / CMPLXF(0.5f, 4.0f)));
    long double _Complex l = CMPLXL(3.0L, 4.0L);
    printf("%La %La\n", creall(l * l), creall(l / CMPLXL(2.0L, 1.0L)));
    return 0;
}
