#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	char dir[] = "/tmp/hydrogenXXXXXX", name[64], other[64], line[100]; if (!mkdtemp(dir)) return 1; snprintf(name, sizeof name, "%s/a.txt", dir); snprintf(other, sizeof other, "%s/b.txt", dir);
	FILE *f = fopen(name, "w"); fprintf(f, "first\nsecond\n%d\n", 3); fputs("tail", f); printf("%ld\n", ftell(f)); fclose(f);
	f = fopen(name, "r"); while (fgets(line, sizeof line, f)) printf("%zu:%s", strlen(line), line); puts(""); rewind(f); printf("%c", fgetc(f)); ungetc('X', f); printf("%c\n", fgetc(f)); fseek(f, -4, SEEK_END); printf("%zu %.4s\n", fread(line, 1, 10, f), line); fclose(f);
	f = fopen(name, "a+"); fputs("!", f); fseek(f, 0, SEEK_SET); int c, n = 0; while ((c = getc(f)) != EOF) n++; printf("%d\n", n); fclose(f); f = fopen(name, "r+"); fseek(f, 6, SEEK_SET); fputs("SECOND", f); fclose(f);
	int fd = open(name, O_RDONLY); struct stat st; fstat(fd, &st); printf("%d %d\n", (int)st.st_size, S_ISREG(st.st_mode)); lseek(fd, 6, SEEK_SET); n = read(fd, line, 6); line[n] = 0; puts(line); close(fd);
	printf("%d %d\n", rename(name, other), access(name, F_OK)); printf("%s %d\n", fopen(name, "r") ? "?" : strerror(errno), stat(dir, &st) == 0 && S_ISDIR(st.st_mode));
	DIR *d = opendir(dir); struct dirent *e; n = 0; while ((e = readdir(d))) n += e->d_name[0] != '.'; closedir(d); printf("%d\n", n); chdir(dir); printf("%d\n", strcmp(getcwd(line, sizeof line), dir)); f = fopen("b.txt", "r"); printf("%d\n", f != 0); fclose(f);
	printf("%d %d %d\n", unlink(other), rmdir(dir), unlink(other)); f = tmpfile(); fputs("x", f); rewind(f); printf("%c\n", getc(f)); fclose(f); fprintf(stderr, "to stderr\n"); return 3;
}
