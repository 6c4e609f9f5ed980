void send(short *to, short *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to = *from++;
    case 7: *to = *from++;
    case 6: *to = *from++;
    case 1: *to = *from++;
            } while (--n > 0);
    }
}
