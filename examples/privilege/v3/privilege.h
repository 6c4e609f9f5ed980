#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include <stdlib.h>
#include <string.h>

#define LIMIT 128

struct session {
  int depth;
  char user[16];
};

extern struct session session;

void get_privilege(void);
void drop_privilege(void);
void report(void);
int within_limit(size_t length);
void handle(const char *b);

#endif
