/* A short program as tests and generated inputs run it: reads a few numbers, sorts, searches, formats. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

struct item {
	char name[16];
	int weight;
	struct item *next;
};

static struct item *list;
static int count;

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static struct item *find(const char *name)
{
	for (struct item *at = list; at; at = at->next)
		if (!strcmp(at->name, name)) return at;
	return 0;
}

static void add(const char *name, int weight)
{
	struct item *old = find(name);
	if (old) {
		old->weight += weight;
		return;
	}
	struct item *new = malloc(sizeof *new);
	if (!new) exit(2);
	strncpy(new->name, name, sizeof new->name - 1);
	new->name[sizeof new->name - 1] = 0;
	new->weight = weight;
	new->next = list;
	list = new;
	count++;
}

static int parse(char *line)
{
	char *at = line;
	while (isspace((unsigned char)*at)) at++;
	char *name = at;
	while (isalpha((unsigned char)*at)) at++;
	if (at == name) return 0;
	if (*at) *at++ = 0;
	char *end;
	long weight = strtol(at, &end, 10);
	if (end == at || weight < 0 || weight > 1000000) return 0;
	add(name, (int)weight);
	return 1;
}

int main(int argc, char **argv)
{
	char line[80];
	int bad = 0, weights[MOST], used = 0;
	long total = 0;
	while (fgets(line, sizeof line, stdin))
		if (!parse(line)) bad++;
	for (struct item *at = list; at && used < MOST; at = at->next) {
		weights[used++] = at->weight;
		total += at->weight;
	}
	qsort(weights, used, sizeof *weights, compare);
	printf("%d items, %d bad, total %ld", count, bad, total);
	if (used) printf(", median %d", weights[used / 2]);
	putchar('\n');
	if (argc > 1) {
		struct item *found = find(argv[1]);
		printf("%s: %d\n", argv[1], found ? found->weight : -1);
	}
	while (list) {
		struct item *next = list->next;
		free(list);
		list = next;
	}
	return bad > 0;
}
