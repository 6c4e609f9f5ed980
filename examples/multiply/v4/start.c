#include <limits.h>
#include <stdio.h>

#define ERR (-1)

static int is_multiplication_safe(int a, int b) {
  if (b == 0)
    return 1;
  if (b < 0)
    return 0;
  return a <= INT_MAX / b;
}

static void safe_multiply(int a, int b, int *out) {
  if (!is_multiplication_safe(a, b)) {
    printf("overflow");
    *out = ERR;
  } else {
    *out = a * b;
  }
}

int start(int j) {
  safe_multiply(8, j, &j);
  return j;
}
