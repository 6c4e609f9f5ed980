int branch(int value) {
    int out;
    __asm__ goto("testl %0, %0; jz %l[zero]; jmp %l[other]" : : "r"(value) : "cc" : zero, other);
    return 1;
zero:
    return 0;
other:
    __asm__ goto("movl $1, %0; jmp %l1" : "=r"(out) : : : done);
    out = 2;
done:
    return out;
}
