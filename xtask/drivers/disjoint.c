/* Disjoint sets: unions from the input, the output says whether two elements are together. */
#include <hydrogen.h>

static unsigned char parent[4], rank[4];
static int changed, long_ways;

static unsigned find(unsigned x)
{
	int steps = 0;
	while (parent[x] != x) {
		x = parent[x];
		steps++;
	}
	if (steps > 1)
		long_ways++;
	return x;
}

static void join(unsigned x, unsigned y)
{
	x = find(x);
	y = find(y);
	if (x == y)
		return;
	changed++;
	if (rank[x] < rank[y]) {
		parent[x] = y;
	} else {
		parent[y] = x;
		if (rank[x] == rank[y])
			rank[x]++;
	}
}

int main(void)
{
	unsigned char pairs[3][2];
	for (unsigned i = 0; i < 4; i++)
		parent[i] = i;
	hydrogen_symbolic(pairs, sizeof pairs, "pairs");
	for (int i = 0; i < 3; i++)
		join(pairs[i][0] & 3, pairs[i][1] & 3);
	hydrogen_output("together", find(0) == find(1));
	return 0;
}
