/* The functions of hydrogen.h for a program that is built natively, to replay a test: inputs are read from the file
 * $HYDROGEN_INPUT (a line per name: the name in hexadecimal, a blank, its bytes in hexadecimal), named outputs are
 * appended to the file $HYDROGEN_OUTPUT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct use { char name[256]; int times; };
static struct use uses[1024];
static int used;

static int digit(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int next_byte(FILE *file)
{
	int high = digit(getc(file)), low = high < 0 ? -1 : digit(getc(file));
	return low < 0 ? -1 : high * 16 + low;
}

void hydrogen_symbolic(void *memory, unsigned long size, const char *name)
{
	char wanted[300];
	int i = 0, byte;
	memset(memory, 0, size);
	while (i < used && strcmp(uses[i].name, name))
		i++;
	if (i == 1024)
		return;
	if (i == used)
		snprintf(uses[used++].name, sizeof uses[i].name, "%s", name);
	if (++uses[i].times > 1)
		snprintf(wanted, sizeof wanted, "%s#%d", name, uses[i].times);
	else
		snprintf(wanted, sizeof wanted, "%s", name);
	const char *path = getenv("HYDROGEN_INPUT");
	FILE *file = path ? fopen(path, "r") : 0;
	if (!file)
		return;
	while (!feof(file)) {
		char found[300];
		unsigned long length = 0, at = 0;
		while ((byte = next_byte(file)) >= 0)
			if (length < sizeof found - 1)
				found[length++] = byte;
		found[length] = 0;
		int here = !strcmp(found, wanted);
		while ((byte = next_byte(file)) >= 0)
			if (here && at < size)
				((unsigned char *)memory)[at++] = byte;
		if (here)
			break;
	}
	fclose(file);
}

void klee_make_symbolic(void *memory, unsigned long size, const char *name)
{
	hydrogen_symbolic(memory, size, name);
}

void hydrogen_assume(unsigned long condition)
{
	if (!condition)
		_Exit(125);
}

void klee_assume(unsigned long condition)
{
	hydrogen_assume(condition);
}

void hydrogen_output(const char *name, long long value)
{
	const char *path = getenv("HYDROGEN_OUTPUT");
	FILE *file = path ? fopen(path, "a") : 0;
	if (file) {
		fprintf(file, "%s=%lld\n", name, value);
		fclose(file);
	}
}
