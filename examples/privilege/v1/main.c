#include "privilege.h"

#include <stdio.h>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!within_limit(strlen(argv[i]))) {
      fprintf(stderr, "too long\n");
      continue;
    }
    handle(argv[i]);
  }
  return session.depth;
}
