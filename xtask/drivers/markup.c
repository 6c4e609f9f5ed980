/* Turns marked text into tags: scans bytes, classifies them by tables, copies runs. */
#include <stdio.h>
#include <string.h>

enum { SPACE = 1, MARK = 2, SPECIAL = 4 };
static unsigned char classes[256];
static char text[1 << 16], out[1 << 19];
static size_t used;

static void put(const char *from, size_t length)
{
    if (used + length <= sizeof out) {
        memcpy(out + used, from, length);
        used += length;
    }
}

static void escaped(const char *from, size_t length)
{
    size_t begin = 0;
    for (size_t at = 0; at < length; at++) {
        if (!(classes[(unsigned char)from[at]] & SPECIAL))
            continue;
        put(from + begin, at - begin);
        put(from[at] == '<' ? "&lt;" : from[at] == '>' ? "&gt;" : "&amp;", from[at] == '&' ? 5 : 4);
        begin = at + 1;
    }
    put(from + begin, length - begin);
}

static size_t closing(const char *line, size_t from, size_t length, char mark)
{
    for (size_t at = from; at < length; at++)
        if (line[at] == mark && (at + 1 == length || line[at + 1] != mark))
            return at;
    return length;
}

static void inlines(const char *line, size_t length)
{
    size_t begin = 0, at = 0;
    while (at < length) {
        if (!(classes[(unsigned char)line[at]] & MARK)) {
            at++;
            continue;
        }
        size_t end = closing(line, at + 1, length, line[at]);
        if (end == length) {
            at++;
            continue;
        }
        escaped(line + begin, at - begin);
        const char *tag = line[at] == '*' ? "em" : line[at] == '`' ? "code" : "u";
        put("<", 1), put(tag, strlen(tag)), put(">", 1);
        if (line[at] == '`')
            escaped(line + at + 1, end - at - 1);
        else
            inlines(line + at + 1, end - at - 1);
        put("</", 2), put(tag, strlen(tag)), put(">", 1);
        begin = at = end + 1;
    }
    escaped(line + begin, length - begin);
}

static void block(const char *line, size_t length)
{
    size_t level = 0, skip = 0;
    while (level < length && level < 6 && line[level] == '#')
        level++;
    skip = level;
    while (skip < length && classes[(unsigned char)line[skip]] & SPACE)
        skip++;
    char tag[8];
    snprintf(tag, sizeof tag, level ? "h%zu" : line[0] == '-' ? "li" : "p", level);
    put("<", 1), put(tag, strlen(tag)), put(">", 1);
    inlines(line + skip, length - skip);
    put("</", 2), put(tag, strlen(tag)), put(">\n", 2);
}

int main(void)
{
    static const char *const words[] = {"plain", "*soft*", "`a < b`", "_under_", "more & more", "x*y", "end.", "## no"};
    unsigned state = 1;
    size_t length = 0;
    classes[' '] = classes['\t'] = SPACE;
    classes['*'] = classes['_'] = classes['`'] = MARK;
    classes['<'] = classes['>'] = classes['&'] = SPECIAL;
    while (length < sizeof text - 64) {
        state = state * 1103515245u + 12345u;
        const char *word = words[state >> 16 & 7];
        size_t size = strlen(word);
        if (length == 0 || text[length - 1] == '\n')
            for (unsigned level = state >> 20 & 3; level > 1; level--)
                text[length++] = '#';
        memcpy(text + length, word, size);
        length += size;
        text[length++] = (state >> 24 & 7) == 0 ? '\n' : ' ';
    }
    unsigned long sum = 0;
    for (int round = 0; round < 12; round++) {
        used = 0;
        for (size_t at = 0; at < length;) {
            const char *end = memchr(text + at, '\n', length - at);
            size_t size = end ? (size_t)(end - text) - at : length - at;
            if (size)
                block(text + at, size);
            at += size + 1;
        }
        for (size_t at = 0; at < used; at++)
            sum = sum * 31 + (unsigned char)out[at];
    }
    printf("%zu %lx\n", used, sum);
    return 0;
}
