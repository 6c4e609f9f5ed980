struct s { int a; char b[3]; double c; };
struct s zero, one = { 1 };
int grid[3][4] = { { 1 }, { 0, 2 } };
void *null = (void *)0;
int f(void) { struct s l = { 0 }; int a[5] = { 1, 2 }; char t[] = "text"; char big[100] = "x"; return l.a + a[4] + t[0] + big[3]; }
