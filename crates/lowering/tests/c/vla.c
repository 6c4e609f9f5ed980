void use(void *);
int sum(int n, int m, int matrix[n][m]) {
    int line[n], grid[n][m + 1];
    char *raw = __builtin_alloca(n), *aligned = __builtin_alloca_with_align(64, 256);
    use(line); use(grid); use(raw); use(aligned);
    for (int i = 0; i < n; i++) { int inner[i + 1]; inner[i] = matrix[i][0]; line[i] = inner[i] + (int)sizeof inner; }
    return line[0] + grid[1][2] + (int)sizeof(grid);
}
