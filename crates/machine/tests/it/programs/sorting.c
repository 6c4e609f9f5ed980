#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int up(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); } static int words(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int main(void)
{
	int a[200]; unsigned s = 1; for (int i = 0; i < 200; i++) { s = s * 1103515245 + 12345; a[i] = s >> 16 & 0x3ff; } qsort(a, 200, sizeof *a, up); unsigned h = 0; for (int i = 0; i < 200; i++) h = h * 31 + a[i]; printf("%u %d %d\n", h, a[0], a[199]);
	int key = a[77], *p = bsearch(&key, a, 200, sizeof *a, up); printf("%d\n", p && *p == key); key = 5000; printf("%d\n", bsearch(&key, a, 200, sizeof *a, up) == 0);
	char *w[] = { "pear", "apple", "fig", "banana" }; qsort(w, 4, sizeof *w, words); for (int i = 0; i < 4; i++) printf("%s ", w[i]); puts(""); return 0;
}
