int rotate(int value, int by) {
    __asm__ volatile("roll %%cl, %0" : "+r"(value) : "c"(by) : "cc", "memory");
    return value;
}
unsigned long long stamp(void) {
    unsigned lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    __asm__("" ::: "memory");
    return (unsigned long long)hi << 32 | lo;
}
__asm__(".globl outside\noutside:\n\tret\n");
register unsigned long sp __asm__("rsp");
unsigned long stack(void) { return sp; }
