#include <locale.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	time_t t = 1000000000; struct tm *g = gmtime(&t); char b[64]; strftime(b, sizeof b, "%Y-%m-%d %H:%M:%S %a %j", g); puts(b); printf("%s", asctime(g)); struct tm m = { .tm_year = 100, .tm_mon = 1, .tm_mday = 30 }; printf("%ld %d\n", (long)timegm(&m), m.tm_mday);
	printf("%d %s %s\n", argc, argv[1], argv[2]); int o; while ((o = getopt(argc, argv, "ab:")) != -1) printf("%c%s ", o, o == 'b' ? optarg : ""); printf("%d\n", optind); printf("%s\n", setlocale(LC_ALL, "C")); return time(0) > 0 ? 0 : 1;
}
