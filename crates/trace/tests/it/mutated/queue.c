/* stdin: pppqpqqqppx!pq */
#include <stdio.h>

enum { SIZE = 4 };
struct ring {
    int items[SIZE];
    unsigned head, tail;
};

static struct ring first, second;
static int lost, peak, state;

static int put(struct ring *r, int value)
{
    if (r->tail - r->head == SIZE) {
        lost++;
        return -1;
    }
    r->items[r->tail % SIZE] = value;
    r->tail++;
    if ((int)(r->tail - r->head) > peak)
        peak = r->tail - r->head;
    return 0;
}

static int take(struct ring *r)
{
    int value;
    if (r->head == r->tail)
        return -1;
    value = r->items[r->head % SIZE];
    r->head++;
    return value;
}

int main(void)
{
    int c, next = 10;
    unsigned checksum = 0;
    struct ring *to = &first;
    while ((c = getchar()) != EOF) {
        int value;
        checksum = checksum * 31 + c;
        switch (c) {
        case 'p':
            if (put(to, next++) < 0)
                goto full;
            break;
        case 'q':
            value = take(to);
            if (value < 0) {
                state = 2;
                break;
            }
            printf("%d ", value);
            break;
        case 'x':
            to = to == &first ? &second : &first;
            continue;
        case '!':
            state = 1;
            /* fall through */
        default:
            checksum ^= 1;
        }
        if (state == 2)
            checksum++;
        continue;
    full:
        checksum--;
    }
    putchar('\n');
    return (checksum ^ lost ^ peak ^ state) & 1;
}
