/* A set in an ordered array, with statistics that no output depends on. */
#include <hydrogen.h>

static int elements[8], count, even, large, negative;

static void note(int value)
{
	if (value & 1)
		even++;
	if (value > 100)
		large++;
	if (value < 0)
		negative++;
}

static void add(int value)
{
	int at = 0;
	note(value);
	while (at < count && elements[at] < value)
		at++;
	if (at < count && elements[at] == value)
		return;
	for (int i = count++; i > at; i--)
		elements[i] = elements[i - 1];
	elements[at] = value;
}

int main(void)
{
	signed char values[4];
	hydrogen_symbolic(values, sizeof values, "values");
	for (int i = 0; i < 4; i++)
		add(values[i]);
	hydrogen_output("count", count);
	hydrogen_output("least", elements[0]);
	return 0;
}
