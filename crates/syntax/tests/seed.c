/* A program with a bit of everything, for mutation. */
#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define EACH(i, n) for (int i = 0; i < (n); i++)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct node { struct node *next; int value; } node;
enum color { RED, GREEN = 5, BLUE };
static const char *const names[] = { "red", "green", [BLUE] = "blue" };
extern int shared;
_Noreturn void die(const char *message, ...);

static int count(const node *list)
{
    int total = 0, *p = &total;
    for (const node *n = list; n && n->value != 0; n = n->next) {
        if (n->value < 0 || (n->value > 100 && !shared))
            continue;
        *p += n->value ? 1 : MAX(n->value, 2);
#ifdef VERBOSE
        printf("%d\n", n->value);
#elif defined(QUIET)
        ;
#else
        puts("");
#endif
    }
    return total;
}

int ZEXPORT old_style(a, b) int a; char *b; {
    switch (a) {
    case 1:
    case RED ... GREEN: b[0] = 'x'; /* fall through */
    case BLUE: { static int t[] = { 1, 2,
#if EXTRA
        3,
#endif
        4 }; return t[a]; }
    default: break;
    }
    do { a--; if (a == 3) goto out; } while (a > 0
#ifdef LIMIT
        && a < LIMIT
#endif
        );
    EACH(i, 3) { b[i] = (char)({ int t = a; t ? t : i; }); }
    asm volatile("nop" : : "r"(a) : "memory");
    ASSERT(a)
    while (1) { if (old_style(a, b)) break; }
    void *target = &&out;
    goto *target;
out:
    if (a) die("no %d", a);
    return a && b ?: sizeof(int[3]);
}

#ifdef __cplusplus
}
#endif
int main(int argc, char **argv) { int (*fp)(const node *) = count; return fp(NULL) + (*fp)((node *)argv); }
