void release(int *p);
int use(int n) {
    int a __attribute__((cleanup(release))) = n;
    if (n > 3) return a;
    for (int i = 0; i < n; i++) { int b __attribute__((cleanup(release))) = i; if (b == 2) break; if (b == 1) continue; }
    return a + 1;
}
