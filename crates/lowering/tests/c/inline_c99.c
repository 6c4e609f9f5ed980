inline int plain(int a) { return a + 1; }
static inline int hidden(int a) { return a * 2; }
extern inline int shown(int a) { return a * 3; }
static __inline__ __attribute__((always_inline)) int forced(int a) { return a * 4; }
__attribute__((noinline)) int kept(int a) { return a * 5; }
int use(int a) { return plain(a) + hidden(a) + shown(a) + forced(a) + kept(a); }
