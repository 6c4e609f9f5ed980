#include "privilege.h"

/* The buffer follows the input now, with room for the final zero. */
void handle(const char *b) {
  get_privilege();
  char *a = NULL;
  size_t len = 0;
  len = strlen(b) + 1;
  a = malloc(len);
  if (a == NULL) {
    report();
    drop_privilege();
    return;
  }
  strcpy(a, b);
  drop_privilege();
}
