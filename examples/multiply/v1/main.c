#include <stdio.h>
#include <stdlib.h>

int start(int j);

int main(int argc, char **argv) {
  if (argc > 1)
    printf("%d\n", start(atoi(argv[1])));
  return 0;
}
