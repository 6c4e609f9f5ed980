#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) if (fprintf(stderr, "%s\n", argv[i]) < 0) exit(1);
    if (argc > 3) abort();
    return EXIT_SUCCESS;
}
