union value { int i; float f; char bytes[8]; struct { short lo, hi; }; };
float pun(int i) { union value v = { .i = i }; v.lo++; return v.f + v.bytes[2]; }
union value all[2] = { { 1 }, { .f = 2.0f } };
union value pass(union value v) { return v; }
