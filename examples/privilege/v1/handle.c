#include "privilege.h"

void handle(const char *b) {
  get_privilege();
  char a[16];
  strcpy(a, b);
  drop_privilege();
}
