/* Runs the SQL on standard input in a database in memory, or in the file that is named, and prints the rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static int row(void *unused, int count, char **values, char **names)
{
	(void)unused;
	(void)names;
	for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "");
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	static char text[1 << 20];
	size_t length = fread(text, 1, sizeof text - 1, stdin);
	text[length] = 0;
	sqlite3 *db;
	if (sqlite3_open(argc > 1 ? argv[1] : ":memory:", &db) != SQLITE_OK) {
		fprintf(stderr, "cannot open: %s\n", sqlite3_errmsg(db));
		return 1;
	}
	char *message = 0;
	int status = sqlite3_exec(db, text, row, 0, &message);
	if (status != SQLITE_OK) fprintf(stderr, "error %d: %s\n", status, message ? message : "?");
	sqlite3_free(message);
	sqlite3_close(db);
	return status != SQLITE_OK;
}
