#include <stdio.h>
int main(void)
{
	int a, b, n; unsigned x; char w[20], set[20], c; double d; long l; float f;
	printf("%d ", scanf("%d %d", &a, &b)); printf("%d %d\n", a, b); printf("%d ", scanf("%19s %lf %f", w, &d, &f)); printf("%s %g %g\n", w, d, f); printf("%d ", scanf("%x %ld %c", &x, &l, &c)); printf("%x %ld %c\n", x, l, c);
	printf("%d ", scanf(" %19[a-z]%n", set, &n)); printf("%s %d\n", set, n); printf("%d\n", scanf("%d", &a)); char line[50]; if (fgets(line, sizeof line, stdin)) printf("<%s>", line);
	printf("%d %d\n", sscanf("10-20-30", "%d-%d-%d", &a, &b, &n), n); int ch; while ((ch = getchar()) != EOF) putchar(ch == '\n' ? '|' : ch); printf("%d %d\n", feof(stdin) != 0, scanf("%d", &a)); return 0;
}
