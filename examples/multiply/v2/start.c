#include <stdio.h>

#define ERR (-1)

static int privilege = 1;

static void drop_privilege(void) {
  privilege = 0;
}

int start(int j) {
  j = 8 * j;
  if (j < 0) {
    printf("overflow");
    j = ERR;
  }
  drop_privilege();
  return j;
}
