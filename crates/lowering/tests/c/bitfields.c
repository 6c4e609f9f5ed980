struct flags { unsigned a : 3; signed b : 5; unsigned : 0; _Bool c : 1; unsigned long long d : 40; int e; };
struct __attribute__((packed)) tight { char x; unsigned y : 17; int z : 7; };
int use(struct flags *f, struct tight *t) {
    f->a = 5; f->b -= 1; f->c = f->a > 2; f->d |= 1ull << 39;
    t->y++; t->z = -t->z;
    return f->b + (int)f->d + t->y;
}
struct flags initial = { 1, -2, 1, 3, 4 };
