#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; } static int mul(int a, int b) { return a * b; }
static int apply(op f, int a, int b) { return f(a, b); }
struct node { int v; struct node *next; };
static op table[] = { add, mul }; int global = 7; int *pg = &global; char *strings[] = { "zero", "one", "two" }; const char (*pa)[4] = &"abc";
int main(void)
{
	printf("%d %d\n", apply(add, 3, 4), table[1](3, 4)); *pg += 1; printf("%d\n", global);
	struct node *list = 0; for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof *n); n->v = i; n->next = list; list = n; }
	for (struct node *n = list; n;) { printf("%d ", n->v); struct node *d = n; n = n->next; free(d); } puts("");
	int a[10], *p = a + 2, *q = a + 9; printf("%td %d %d\n", q - p, p < q, p == a + 2);
	uintptr_t u = (uintptr_t)p; int *r = (int *)(u + 4); *r = 77; printf("%d %d\n", a[3], (int)(u % 4));
	char *s = strings[1]; while (*s) putchar(*s++); putchar('\n'); printf("%c\n", (*pa)[1]);
	void *v = a; char *c = (char *)v + sizeof(int); printf("%d\n", (void *)c == (void *)&a[1]);
	int (*pf)(const char *, ...) = printf; pf("%s %d\n", "through a pointer", 5);
	int **pp = malloc(3 * sizeof *pp); for (int i = 0; i < 3; i++) { pp[i] = calloc(4, sizeof **pp); pp[i][i] = i; } printf("%d %d\n", pp[2][2], pp[1][0]);
	for (int i = 0; i < 3; i++) free(pp[i]); free(pp);
	return 0;
}
