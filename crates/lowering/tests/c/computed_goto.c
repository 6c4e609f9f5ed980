int interpret(const unsigned char *code) {
    static const void *const table[] = { &&stop, &&add, &&sub };
    static const int offsets[] = { (char *)&&stop - (char *)&&stop, (char *)&&add - (char *)&&stop };
    int value = offsets[0];
    goto *table[*code++];
add: value++; goto *table[*code++];
sub: value--; goto *table[*code++];
stop: return value;
}
