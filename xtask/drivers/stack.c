/* A machine of its own in the machine: a loop around a switch, values with tags on a stack, objects by name. */
#include <stdio.h>
#include <string.h>

enum kind { NOTHING, WHOLE, FRACTION, TABLE };
struct value { union { long whole; double fraction; int table; } of; enum kind kind; };
struct entry { int name; struct value value; };
struct table { struct entry entries[32]; int count; };
enum op { PUSH, LOCAL, SET, ADD, MULTIPLY, LESS, JUMP, UNLESS, GET, PUT, CALL, RETURN, HALVE, STOP };

static struct value stack[4096];
static struct table tables[16];
static int top;

static struct value whole(long n) { struct value made; made.kind = WHOLE; made.of.whole = n; return made; }
static struct value fraction(double x) { struct value made; made.kind = FRACTION; made.of.fraction = x; return made; }
static void push(struct value value) { stack[top++] = value; }
static struct value pop(void) { return stack[--top]; }
static double number(const struct value *value)
{
    return value->kind == WHOLE ? (double)value->of.whole : value->kind == FRACTION ? value->of.fraction : 0;
}

static struct value *find(struct table *table, int name, int make)
{
    for (int at = 0; at < table->count; at++)
        if (table->entries[at].name == name)
            return &table->entries[at].value;
    if (!make || table->count == 32)
        return 0;
    table->entries[table->count].name = name;
    return &table->entries[table->count++].value;
}

static struct value add(const struct value *a, const struct value *b)
{
    if (a->kind == WHOLE && b->kind == WHOLE)
        return whole((a->of.whole + b->of.whole) & 0xffffffffffff);
    return fraction(number(a) + number(b));
}

static struct value multiply(const struct value *a, const struct value *b)
{
    if (a->kind == WHOLE && b->kind == WHOLE)
        return whole(a->of.whole % 1000003 * (b->of.whole % 1000003));
    return fraction(number(a) * number(b));
}

static long run(const short *code, int pc)
{
    int frame = 0;
    struct value a, b, *place;
    for (;;) {
        switch (code[pc++]) {
        case PUSH: push(whole(code[pc++])); break;
        case LOCAL: push(stack[frame + code[pc++]]); break;
        case SET: stack[frame + code[pc++]] = pop(); break;
        case ADD: b = pop(), a = pop(), push(add(&a, &b)); break;
        case MULTIPLY: b = pop(), a = pop(), push(multiply(&a, &b)); break;
        case LESS: b = pop(), a = pop(), push(whole(number(&a) < number(&b))); break;
        case HALVE: a = pop(), push(fraction(number(&a) / 2)); break;
        case JUMP: pc = code[pc]; break;
        case UNLESS: a = pop(), pc = a.of.whole ? pc + 1 : code[pc]; break;
        case GET:
            place = find(&tables[code[pc]], code[pc + 1], 0);
            push(place ? *place : whole(0));
            pc += 2;
            break;
        case PUT:
            place = find(&tables[code[pc]], code[pc + 1], 1);
            a = pop();
            if (place)
                *place = a;
            pc += 2;
            break;
        case CALL:
            push(whole(pc + 1)), push(whole(frame));
            frame = top, top += 2, pc = code[pc];
            stack[frame] = stack[frame - 3];
            break;
        case RETURN:
            a = pop(), top = frame;
            frame = (int)pop().of.whole, pc = (int)pop().of.whole;
            pop(), push(a);
            break;
        case STOP: return (long)number(&stack[top - 1]);
        }
    }
}

static short code[64];
static int used;

static int emit(int what)
{
    code[used] = (short)what;
    return used++;
}

int main(void)
{
    /* for (i = 0; i < 30000; i = i + 1) t.7 = t.7 + f(i); where f(x) is x * x + t.3 / 2 */
    top = 1;
    emit(PUSH), emit(0), emit(SET), emit(0);
    int begin = emit(LOCAL);
    emit(0), emit(PUSH), emit(30000), emit(LESS), emit(UNLESS);
    int end = emit(0);
    emit(GET), emit(2), emit(7), emit(LOCAL), emit(0), emit(CALL);
    int callee = emit(0);
    emit(ADD), emit(PUT), emit(2), emit(7);
    emit(LOCAL), emit(0), emit(PUSH), emit(1), emit(ADD), emit(SET), emit(0), emit(JUMP), emit(begin);
    code[end] = (short)used;
    emit(GET), emit(2), emit(7), emit(STOP);
    code[callee] = (short)used;
    emit(LOCAL), emit(0), emit(LOCAL), emit(0), emit(MULTIPLY);
    emit(GET), emit(2), emit(3), emit(HALVE), emit(ADD), emit(RETURN);
    find(&tables[2], 1, 1)->kind = NOTHING;
    *find(&tables[2], 3, 1) = fraction(0.5);
    *find(&tables[2], 7, 1) = whole(0);
    printf("%ld\n", run(code, 0));
    return 0;
}
