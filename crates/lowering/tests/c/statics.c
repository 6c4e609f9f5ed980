int next(void) { static int counter = 5; static struct { int a; char *s; } state = { 1, "x" }; return counter++ + state.a; }
int other(void) { static int counter; return --counter; }
extern int declared;
int tentative;
static int unused_static = 3;
const int fixed = 4;
volatile int device;
int use(void) { device = declared; return device + tentative + fixed; }
__thread int per_thread = 7;
static _Thread_local struct { int a; } hidden;
int tls(void) { return per_thread++ + hidden.a; }
_Alignas(64) char aligned[3];
int in_section __attribute__((section(".mine"), used)) = 1;
