struct point { int x, y; struct { char name[8]; } tag; };
int length(const struct point *p);
struct point *global = &(struct point){ 1, 2, { "abc" } };
int *numbers = (int[]){ 1, 2, 3 };
int use(int a) { return length(&(struct point){ .y = a, .tag.name = "xyz" }) + ((int[]){ a, 2 })[1] + (struct point){ 3 }.x; }
