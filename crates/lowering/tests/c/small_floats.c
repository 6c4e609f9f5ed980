// flags: -mavx512fp16
_Float16 half(_Float16 a) { return a * 2 + (_Float16)1.5; }
__bf16 brain(float a) { return (__bf16)a; }
__float128 quad(__float128 a) { return a + 0.1Q; }
