#include <stdint.h>
#define KIND(x) _Generic((x), int: 1, double: 2, default: 3)
enum colour { RED, GREEN = 5, BLUE = -1 } favourite = GREEN;
enum big { HUGE_VALUE = 0x7fffffffffffffff };
typedef struct node { struct node *next; enum colour c; const volatile int *restrict q; } node;
intptr_t walk(node *n, uintptr_t raw) {
    node *p = (node *)raw;
    while (n && n != p) n = n->next;
    return (n - p) + (n < p) + KIND(1.0) + (intptr_t)&n->c + n[3].c + (int)favourite + (int)HUGE_VALUE;
}
void *v(void *p) { return p + 1; }
int (*pointer_to_array)[3];
int at(int i) { return (*pointer_to_array)[i]; }
