int g(int);
int all(int n) {
    int s = 0;
    for (int i = 0, j = n; i < j; i++, j--) { if (i == 3) continue; if (j == 4) break; s += i; }
    while (n--) { do { s--; if (s < -5) goto out; } while (s > 3); }
    for (;;) { if (g(s)) return 1; }
out:
    return s;
}
