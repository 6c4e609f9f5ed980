struct buffer { int len; char data[]; };
struct buffer fixed = { 3, "abc" };
void *malloc(unsigned long);
struct buffer *make(int n) { struct buffer *b = malloc(sizeof *b + n); b->len = n; b->data[n - 1] = 0; return b; }
struct zero { int n; int items[0]; };
int last(struct zero *z) { return z->items[z->n - 1]; }
