/* stdin: 1+2*3\n(4-1)*5\n7/0\n2*(3+4\n-6%4 */
#include <stdio.h>

static const char *at;
static int errors, depth, deepest;

static int sum(void);

static int atom(void)
{
    int sign = 1, value = 0;
    while (*at == '-' || *at == '+') {
        if (*at == '-')
            sign = -sign;
        at++;
    }
    if (*at == '(') {
        at++;
        depth++;
        if (depth > deepest)
            deepest = depth;
        value = sum();
        depth--;
        if (*at != ')') {
            errors++;
            return 0;
        }
        at++;
        return sign * value;
    }
    if (*at < '0' || *at > '9') {
        errors++;
        return 0;
    }
    do {
        value = value * 10 + (*at - '0');
        at++;
    } while (*at >= '0' && *at <= '9');
    return sign * value;
}

static int product(void)
{
    int left = atom(), right;
    for (;;) {
        char op = *at;
        if (op != '*' && op != '/' && op != '%')
            break;
        at++;
        right = atom();
        switch (op) {
        case '*':
            left *= right;
            break;
        case '/':
            if (right == 0)
                goto zero;
            left /= right;
            break;
        case '%':
            if (right == 0)
                goto zero;
            left %= right;
        }
    }
    return left;
zero:
    errors++;
    return 0;
}

static int sum(void)
{
    int left = product();
    while (*at == '+' || *at == '-') {
        int minus = *at == '-';
        at++;
        if (minus) {
            left -= product();
            continue;
        }
        left += product();
    }
    return left;
}

int main(void)
{
    char line[64];
    int total = 0, count = 0;
    while (fgets(line, sizeof line, stdin)) {
        int before = errors, value;
        at = line;
        depth = 0;
        value = sum();
        count++;
        if (errors > before) {
            fputs("error\n", stderr);
            continue;
        }
        total += value;
        if (value > 1000)
            break;
        printf("%d\n", value);
    }
    fprintf(stderr, "%d of %d, %d deep, %d\n", errors, count, deepest, total);
    return errors;
}
