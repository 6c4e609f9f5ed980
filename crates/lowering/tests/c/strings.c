#include <stddef.h>
#include <uchar.h>
const char *narrow = "plain \0 zero \xff";
const wchar_t *wide = L"wide \u00e4";
const char16_t *sixteen = u"sixteen \U0001F600";
const char32_t *thirtytwo = U"thirty-two";
const char *utf8 = u8"utf-8 ä";
char array[10] = "abc";
wchar_t warray[] = L"xy";
const char *same = "plain \0 zero \xff";
const char *tail = "hello" + 2;
const char *where(void) { return __func__; }
const char *file(void) { return __FILE__ __DATE__ __TIME__; }
