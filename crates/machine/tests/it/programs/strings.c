#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
int main(void)
{
	char b[64] = "hello", *save; printf("%zu %d %d %s\n", strlen(b), strcmp(b, "help") < 0, strncmp(b, "help", 3), strcat(b, " world"));
	printf("%s %s %s\n", strchr(b, 'o'), strrchr(b, 'o'), strstr(b, "wor")); printf("%zu %zu %s\n", strspn(b, "hel"), strcspn(b, "w"), strpbrk(b, "dw"));
	memmove(b + 2, b, 5); puts(b); memset(b, '-', 3); puts(b); printf("%d %d\n", memcmp("ab", "ac", 2) < 0, memchr("abc", 'c', 3) != 0);
	char t[] = "a,b;;c", *p = strtok_r(t, ",;", &save); while (p) { printf("[%s]", p); p = strtok_r(0, ",;", &save); } puts("");
	char n[8]; strncpy(n, "abcdefghijk", 7); n[7] = 0; puts(n); char *d = strdup("copy"); d[0] = toupper(d[0]); puts(d); free(d);
	printf("%d %d %d %d\n", strcasecmp("ABC", "abc"), isalpha('x') != 0, isdigit('x') != 0, isspace('\t') != 0);
	printf("%s %s %s\n", strerror(2), strerror(13), (char *)memmem("abcdef", 6, "cd", 2)); printf("%ls %zu\n", L"wide", wcslen(L"wide"));
	printf("%s\n", (char *)mempcpy(b, "xyz", 3) - 3); return strcoll("a", "b") < 0 ? 0 : 1;
}
