/* A wrong access of a kind and in a state that follow from two numbers: whoever runs it must find the fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long state;
static unsigned roll(unsigned below)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33) % below;
}

struct record { int number; char name[40]; struct record *next; };
static int table[50], other_table[200];
static struct record first;
static int *kept;

static void keep_scalar(void) { int value = 7; kept = &value; }
static void keep_element(void) { int values[16] = {0}; kept = values + roll(16); }
static void keep_member(void) { struct record one = {0}; kept = &one.number; }
static void keep_one(void)
{
	switch (roll(3)) {
	case 0: keep_scalar(); break;
	case 1: keep_element(); break;
	default: keep_member();
	}
}
static void keep_below(int depth)
{
	int here = depth, *at = &here;
	if (*at > 0)
		keep_below(depth - 1);
	else
		keep_one();
}

/* Calls with variables of all kinds, as deep as asked for. */
static long calls(int depth)
{
	int one = depth, values[8] = {depth}, *at = &one;
	long more = 3, *also = &more;
	struct record here = {0};
	if (depth == 0)
		return *at + *also + values[0];
	here.next = &first;
	return calls(depth - 1) + here.next->number;
}

static void blocks(unsigned count)
{
	void *all[64] = {0};
	for (unsigned i = 0; i < count; i++) {
		unsigned at = roll(64);
		free(all[at]);
		all[at] = malloc(1 + roll(roll(8) ? 64 : 5000));
	}
	for (int i = 0; i < 64; i++)
		free(all[i]);
}

static void churn(void)
{
	for (unsigned i = roll(4); i > 0; i--) {
		if (roll(2))
			calls(roll(12));
		else
			blocks(roll(200));
	}
}

static long used_below(int depth, int *at)
{
	int here = depth, *also = &here;
	if (*also > 0)
		return used_below(depth - 1, at);
	if (roll(2))
		return *at;
	*at = 5;
	return 0;
}

static long far(void)
{
	int local[24] = {0}, single = 0;
	int *base, size;
	switch (roll(4)) {
	case 0: base = table, size = 50; break;
	case 1: base = local, size = 24; break;
	case 2: base = malloc(120), size = 30; break;
	default: base = &single, size = 1;
	}
	long by = 1 + roll(1u << roll(24));
	long index = roll(2) ? size - 1 + by : -by;
	if (roll(2))
		return base[index];
	int *at = base + index;
	if (roll(2))
		return *at;
	*at = 1;
	return other_table[roll(200)];
}

int main(int argc, char **argv)
{
	int kind = atoi(argv[1]);
	state = strtoul(argv[2], 0, 10);
	roll(2);
	int *at = 0;
	switch (kind) {
	case 0:
		keep_below(roll(6));
		churn();
		printf("%ld\n", used_below(roll(8), kept));
		break;
	case 1:
		at = malloc(sizeof(int) * (1 + roll(40)));
		*at = 1;
		free(at);
		churn();
		printf("%ld\n", used_below(roll(8), at));
		break;
	default:
		churn();
		printf("%ld\n", far());
	}
	return argc;
}
