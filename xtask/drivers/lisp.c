/* Evaluates expressions of pairs by recursion: calls, small loads, tests of tags. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum tag { NUMBER, SYMBOL, PAIR, PRIMITIVE, CLOSURE };

struct value {
    enum tag tag;
    union {
        long number;
        const char *name;
        struct { struct value *head, *tail; } pair;
        struct value *(*primitive)(struct value *arguments);
        struct { struct value *parameters, *body, *environment; } closure;
    } of;
};

static struct value *symbols, *globals;

static struct value *make(enum tag tag)
{
    struct value *made = malloc(sizeof *made);
    if (!made)
        exit(2);
    memset(made, 0, sizeof *made);
    made->tag = tag;
    return made;
}

static struct value *number(long n)
{
    struct value *made = make(NUMBER);
    made->of.number = n;
    return made;
}

static struct value *pair(struct value *head, struct value *tail)
{
    struct value *made = make(PAIR);
    made->of.pair.head = head;
    made->of.pair.tail = tail;
    return made;
}

static struct value *head(struct value *list) { return list->of.pair.head; }
static struct value *tail(struct value *list) { return list->of.pair.tail; }

static struct value *symbol(const char *name, size_t length)
{
    for (struct value *at = symbols; at; at = tail(at))
        if (!strncmp(head(at)->of.name, name, length) && !head(at)->of.name[length])
            return head(at);
    char *copy = malloc(length + 1);
    if (!copy)
        exit(2);
    memcpy(copy, name, length);
    copy[length] = 0;
    struct value *made = make(SYMBOL);
    made->of.name = copy;
    symbols = pair(made, symbols);
    return made;
}

static const char *text;

static struct value *parse(void)
{
    while (*text == ' ' || *text == '\n')
        text++;
    if (*text == '(') {
        struct value *list = 0, **end = &list;
        text++;
        for (;;) {
            while (*text == ' ' || *text == '\n')
                text++;
            if (*text == ')') {
                text++;
                return list;
            }
            *end = pair(parse(), 0);
            end = &(*end)->of.pair.tail;
        }
    }
    if (*text >= '0' && *text <= '9')
        return number(strtol(text, (char **)&text, 10));
    const char *begin = text;
    while (*text && *text != ' ' && *text != ')' && *text != '(' && *text != '\n')
        text++;
    return symbol(begin, text - begin);
}

static struct value *lookup(struct value *name, struct value *environment)
{
    for (struct value *at = environment; at; at = tail(at))
        if (head(head(at)) == name)
            return tail(head(at));
    for (struct value *at = globals; at; at = tail(at))
        if (head(head(at)) == name)
            return tail(head(at));
    return 0;
}

static struct value *if_, *define, *lambda;

static struct value *eval(struct value *what, struct value *environment);

static struct value *eval_list(struct value *list, struct value *environment)
{
    if (!list)
        return 0;
    struct value *first = eval(head(list), environment);
    return pair(first, eval_list(tail(list), environment));
}

static struct value *eval(struct value *what, struct value *environment)
{
    if (!what || what->tag == NUMBER)
        return what;
    if (what->tag == SYMBOL)
        return lookup(what, environment);
    struct value *first = head(what), *rest = tail(what);
    if (first == if_) {
        struct value *decided = eval(head(rest), environment);
        return eval(decided && decided->of.number ? head(tail(rest)) : head(tail(tail(rest))), environment);
    }
    if (first == define) {
        globals = pair(pair(head(rest), eval(head(tail(rest)), environment)), globals);
        return 0;
    }
    if (first == lambda) {
        struct value *made = make(CLOSURE);
        made->of.closure.parameters = head(rest);
        made->of.closure.body = head(tail(rest));
        made->of.closure.environment = environment;
        return made;
    }
    struct value *function = eval(first, environment);
    struct value *arguments = eval_list(rest, environment);
    if (function->tag == PRIMITIVE)
        return function->of.primitive(arguments);
    struct value *inner = function->of.closure.environment;
    struct value *name = function->of.closure.parameters;
    for (; name; name = tail(name), arguments = tail(arguments))
        inner = pair(pair(head(name), head(arguments)), inner);
    return eval(function->of.closure.body, inner);
}

static struct value *add(struct value *of) { return number(head(of)->of.number + head(tail(of))->of.number); }
static struct value *subtract(struct value *of) { return number(head(of)->of.number - head(tail(of))->of.number); }
static struct value *less(struct value *of) { return number(head(of)->of.number < head(tail(of))->of.number); }

static void primitive(const char *name, struct value *(*function)(struct value *))
{
    struct value *made = make(PRIMITIVE);
    made->of.primitive = function;
    globals = pair(pair(symbol(name, strlen(name)), made), globals);
}

int main(void)
{
    if_ = symbol("if", 2);
    define = symbol("define", 6);
    lambda = symbol("lambda", 6);
    primitive("+", add);
    primitive("-", subtract);
    primitive("<", less);
    text = "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))"
           "(define twice (lambda (f x) (f (f x))))"
           "(twice (lambda (x) (+ x (fib 19))) (fib 18))";
    struct value *last = 0;
    while (*text)
        last = eval(parse(), 0);
    printf("%ld\n", last ? last->of.number : -1);
    return 0;
}
