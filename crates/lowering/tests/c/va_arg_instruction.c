// flags: --target=i386-linux-gnu
double next(__builtin_va_list list) { return __builtin_va_arg(list, double) + __builtin_va_arg(list, int); }
