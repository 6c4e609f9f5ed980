/* stdin: one two two\nthree three three\n\nfour\tone */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    char text[16];
    int count, line;
    struct word *next;
};

static struct word *table[8];
static int lines = 1, longest, collisions;

static unsigned hash(const char *text)
{
    unsigned h = 5381;
    for (; *text; text++)
        h = h * 33 + (unsigned char)*text;
    return h % 8;
}

static struct word *find(const char *text)
{
    unsigned slot = hash(text);
    struct word *w;
    for (w = table[slot]; w; w = w->next) {
        if (strcmp(w->text, text) != 0) {
            collisions++;
            continue;
        }
        return w;
    }
    w = malloc(sizeof *w);
    if (!w)
        return NULL;
    strcpy(w->text, text);
    w->count = 0;
    w->line = lines;
    w->next = table[slot];
    table[slot] = w;
    return w;
}

int main(void)
{
    char buffer[16];
    int n = 0, c, words = 0;
    for (;;) {
        c = getchar();
        if (isalpha(c)) {
            if (n == 15)
                continue;
            buffer[n++] = c;
            if (n > longest)
                longest = n;
            continue;
        }
        if (n > 0) {
            struct word *w;
            buffer[n] = 0;
            n = 0;
            words++;
            w = find(buffer);
            if (!w)
                goto out;
            w->count++;
        }
        switch (c) {
        case '\n':
            lines++;
            break;
        case EOF:
            goto out;
        default:
            break;
        }
    }
out:
    for (int i = 0; i < 8; i++)
        for (struct word *w = table[i]; w; w = w->next)
            printf("%s %d\n", w->text, w->count);
    return lines > 2 && collisions > words;
}
