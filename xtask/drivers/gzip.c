/* Compresses standard input to standard output in gzip's format; with -d the other way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zlib.h"

static void fail(const char *what)
{
	fprintf(stderr, "gzip: %s\n", what);
	exit(1);
}

int main(int argc, char **argv)
{
	static unsigned char buffer[16384];
	int level = 6, back = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-d")) back = 1;
		else if (argv[i][0] == '-' && argv[i][1] >= '1' && argv[i][1] <= '9') level = argv[i][1] - '0';
		else fail("unknown argument");
	}
	char mode[4] = { 'w', 'b', (char)('0' + level), 0 };
	gzFile file = back ? gzdopen(0, "rb") : gzdopen(1, mode);
	if (!file) fail("cannot open");
	for (;;) {
		int count = back ? gzread(file, buffer, sizeof buffer) : (int)fread(buffer, 1, sizeof buffer, stdin);
		if (count < 0) fail("damaged input");
		if (count == 0) break;
		if (back ? fwrite(buffer, 1, count, stdout) != (size_t)count : gzwrite(file, buffer, count) != count) fail("cannot write");
	}
	if (gzclose(file) != Z_OK) fail("cannot close");
	return 0;
}
