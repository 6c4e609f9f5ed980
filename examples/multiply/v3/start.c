#include <limits.h>
#include <stdio.h>

#define ERR (-1)

static int privilege = 1;

static void drop_privilege(void) {
  privilege = 0;
}

static int is_multiplication_safe(int a, int b) {
  if (b == 0)
    return 1;
  if (b < 0)
    return 0;
  return a <= INT_MAX / b;
}

int start(int j) {
  if (!is_multiplication_safe(8, j)) {
    printf("overflow");
    j = ERR;
  } else {
    j = 8 * j;
  }
  drop_privilege();
  return j;
}
