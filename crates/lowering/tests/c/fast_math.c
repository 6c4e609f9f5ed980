// flags: -ffast-math
double dot(const double *a, const double *b, int n) { double s = -0.0; for (int i = 0; i < n; i++) s += a[i] * b[i] > 1 ? -a[i] : b[i]; return s; }
