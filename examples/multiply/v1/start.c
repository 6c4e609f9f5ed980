#include <stdio.h>

static int privilege = 1;

static void drop_privilege(void) {
  privilege = 0;
}

int start(int j) {
  j = 8 * j;
  drop_privilege();
  return j;
}
