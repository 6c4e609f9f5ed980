struct two { long a; double b; };
__attribute__((swiftcall)) struct two make(long a) { return (struct two){ a, 2.0 }; }
long use(void) { return make(3).a; }
