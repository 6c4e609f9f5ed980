// flags: --target=sparc-linux-gnu
typedef __builtin_va_list list;
int next(list arguments) { return __builtin_va_arg(arguments, int); }
