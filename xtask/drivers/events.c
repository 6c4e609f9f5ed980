/* Reads nested lists and numbers a byte at a time and tells a table of callbacks: indirect calls, a stack of states. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct callbacks {
    int (*number)(void *to, long value);
    int (*string)(void *to, const unsigned char *from, size_t length);
    int (*open)(void *to, int kind);
    int (*close)(void *to, int kind);
};

struct reader {
    const unsigned char *from, *end;
    const struct callbacks *callbacks;
    void *to;
    unsigned char states[64];
    int depth;
};

enum token { END, NUMBER, STRING, OPEN, CLOSE, COMMA, COLON, WRONG };

static enum token next(struct reader *reader, const unsigned char **begin, size_t *length)
{
    while (reader->from < reader->end && (*reader->from == ' ' || *reader->from == '\n'))
        reader->from++;
    if (reader->from == reader->end)
        return END;
    *begin = reader->from;
    switch (*reader->from++) {
    case '[': case '{': return OPEN;
    case ']': case '}': return CLOSE;
    case ',': return COMMA;
    case ':': return COLON;
    case '"':
        *begin = reader->from;
        while (reader->from < reader->end && *reader->from != '"')
            reader->from += *reader->from == '\\' ? 2 : 1;
        *length = reader->from - *begin;
        reader->from++;
        return STRING;
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        while (reader->from < reader->end && *reader->from >= '0' && *reader->from <= '9')
            reader->from++;
        *length = reader->from - *begin;
        return NUMBER;
    default:
        return WRONG;
    }
}

static long value_of(const unsigned char *from, size_t length)
{
    long value = 0;
    int negative = *from == '-';
    for (size_t at = negative; at < length; at++)
        value = value * 10 + (from[at] - '0');
    return negative ? -value : value;
}

static int read_all(struct reader *reader)
{
    const unsigned char *begin;
    size_t length;
    for (;;) {
        switch (next(reader, &begin, &length)) {
        case END: return reader->depth == 0;
        case NUMBER:
            if (!reader->callbacks->number(reader->to, value_of(begin, length)))
                return 0;
            break;
        case STRING:
            if (!reader->callbacks->string(reader->to, begin, length))
                return 0;
            break;
        case OPEN:
            if (reader->depth == 64 || !reader->callbacks->open(reader->to, *begin))
                return 0;
            reader->states[reader->depth++] = *begin == '[' ? ']' : '}';
            break;
        case CLOSE:
            if (reader->depth == 0 || reader->states[--reader->depth] != *begin)
                return 0;
            if (!reader->callbacks->close(reader->to, *begin))
                return 0;
            break;
        case COMMA: case COLON: break;
        default: return 0;
        }
    }
}

struct writer { char *text; size_t used, room; int indent; };

static int add(struct writer *writer, const void *from, size_t length)
{
    if (writer->used + length > writer->room) {
        writer->room = (writer->used + length) * 2;
        writer->text = realloc(writer->text, writer->room);
        if (!writer->text)
            return 0;
    }
    memcpy(writer->text + writer->used, from, length);
    writer->used += length;
    return 1;
}

static int line(struct writer *writer)
{
    if (!add(writer, "\n", 1))
        return 0;
    for (int at = 0; at < writer->indent; at++)
        if (!add(writer, "  ", 2))
            return 0;
    return 1;
}

static int on_number(void *to, long value)
{
    char digits[24];
    int at = sizeof digits;
    unsigned long rest = value < 0 ? 0ul - (unsigned long)value : (unsigned long)value;
    do
        digits[--at] = '0' + rest % 10;
    while (rest /= 10);
    if (value < 0)
        digits[--at] = '-';
    return line(to) && add(to, digits + at, sizeof digits - at);
}
static int on_string(void *to, const unsigned char *from, size_t length)
{
    return line(to) && add(to, "\"", 1) && add(to, from, length) && add(to, "\"", 1);
}
static int on_open(void *to, int kind)
{
    struct writer *writer = to;
    char one = (char)kind;
    int done = line(writer) && add(writer, &one, 1);
    writer->indent++;
    return done;
}
static int on_close(void *to, int kind)
{
    struct writer *writer = to;
    char one = (char)kind;
    writer->indent--;
    return line(writer) && add(writer, &one, 1);
}

int main(void)
{
    static const struct callbacks callbacks = {on_number, on_string, on_open, on_close};
    struct writer made = {0}, writer = {0};
    unsigned state = 7;
    int depth = 0;
    add(&made, "[", 1);
    for (int at = 0; at < 6000; at++) {
        state = state * 1103515245u + 12345u;
        char item[64];
        int size;
        switch (state >> 16 & 7) {
        case 0: size = depth < 50 ? (depth++, snprintf(item, sizeof item, "[")) : 0; break;
        case 1: size = depth ? (depth--, snprintf(item, sizeof item, "],")) : 0; break;
        case 2: case 3: size = snprintf(item, sizeof item, "\"word %u\",", state >> 20); break;
        default: size = snprintf(item, sizeof item, "%d, ", (int)state); break;
        }
        add(&made, item, size);
    }
    while (depth-- >= 0)
        add(&made, "]", 1);
    int good = 1;
    for (int round = 0; round < 10; round++) {
        struct reader reader = {(unsigned char *)made.text, (unsigned char *)made.text + made.used, &callbacks, &writer, {0}, 0};
        writer.used = 0;
        good &= read_all(&reader);
    }
    printf("%d %zu\n", good, writer.used);
    free(made.text);
    free(writer.text);
    return 0;
}
