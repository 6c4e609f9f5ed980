/* stdin: 5 3 9 1 7 3 8 2 */
#include <stdio.h>
#include <stdlib.h>

static int swaps, compares;

static void exchange(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
    swaps++;
}

static int search(const int *a, int n, int x)
{
    int low = 0, high = n, steps = 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        steps++;
        if (a[middle] == x)
            return middle;
        if (a[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    if (steps > 100)
        exit(3);
    return -1;
}

static void sort(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        int moved = 0;
        for (int j = 0; j + 1 < n - i; j++) {
            compares++;
            if (a[j] <= a[j + 1])
                continue;
            exchange(&a[j], &a[j + 1]);
            moved = 1;
        }
        if (!moved)
            break;
    }
}

int main(void)
{
    int a[16], n = 0, x, odd = 0, largest = 0;
    while (n < 16 && scanf("%d", &x) == 1) {
        a[n] = x;
        n++;
        if (x % 2 == 0)
            continue;
        odd++;
        if (x > largest)
            largest = x;
    }
    sort(a, n);
    for (int i = 0; i < n; i++)
        printf("%d%c", a[i], i + 1 < n ? ' ' : '\n');
    int found = search(a, n, 7);
    if (found < 0)
        return 1;
    printf("%d\n", found);
    if (odd > swaps && largest > compares)
        fputs("strange\n", stderr);
    return 0;
}
