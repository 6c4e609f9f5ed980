int classify(int value) {
    switch (value) {
    case 0: return 1;
    case 1: case 2: value++; /* falls through */
    case 10 ... 20: return value;
    case -5: break;
    default: return -1;
    }
    return 0;
}
int wide(unsigned long long value) {
    switch (value) { case 0xffffffffffffffffull: return 1; case 1ull << 63: return 2; }
    return 0;
}
void empty(int value) { switch (value) {} switch (value) { default:; } }
