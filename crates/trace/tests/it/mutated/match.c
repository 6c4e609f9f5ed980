/* stdin: a*c abbbc\n?b ab\nx*y xz\n[ab]+c aabc\nq q */
#include <stdio.h>
#include <string.h>

static int tries, backs;

static int one(const char *p, char c, int *length)
{
    int yes = 0;
    *length = 1;
    if (*p != '[') {
        if (c == 0)
            return 0;
        return *p == '?' || *p == c;
    }
    for (p++; *p && *p != ']'; p++) {
        (*length)++;
        if (*p == c)
            yes = 1;
    }
    (*length)++;
    return yes;
}

static int match(const char *p, const char *s)
{
    int length;
    tries++;
again:
    if (!*p)
        return !*s;
    if (*p == '*') {
        while (1) {
            if (match(p + 1, s))
                return 1;
            if (!*s)
                break;
            s++;
            backs++;
        }
        return 0;
    }
    if (!one(p, *s, &length))
        return 0;
    s++;
    if (p[length] == '+') {
        int ignored;
        while (one(p, *s, &ignored))
            s++;
        p += length + 1;
        goto again;
    }
    p += length;
    goto again;
}

int main(void)
{
    char pattern[32], text[32];
    int yes = 0, no = 0;
    while (scanf("%31s %31s", pattern, text) == 2) {
        size_t n = strlen(pattern);
        if (n > 30) {
            no++;
            continue;
        }
        if (match(pattern, text)) {
            yes++;
            puts(text);
        } else {
            no++;
        }
    }
    if (tries > 1000 || backs > 1000)
        return 2;
    return yes > no;
}
