#include "privilege.h"

/* The buffer follows the input now. */
void handle(const char *b) {
  get_privilege();
  char *a = NULL;
  size_t len = 0;
  len = strlen(b);
  a = malloc(len);
  if (a == NULL) {
    report();
    return;
  }
  strcpy(a, b);
  drop_privilege();
}
