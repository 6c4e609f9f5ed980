#include "privilege.h"

#include <stdio.h>

struct session session;

void get_privilege(void) {
  session.depth++;
}

void drop_privilege(void) {
  session.depth--;
}

void report(void) {
  fprintf(stderr, "out of memory for %s\n", session.user);
}

int within_limit(size_t length) {
  return length < LIMIT;
}
