#include <stdatomic.h>
#include <stdio.h>
static _Thread_local int tls = 5; static atomic_int counter; static atomic_flag flag = ATOMIC_FLAG_INIT;
int main(void)
{
	atomic_fetch_add(&counter, 5); counter--; printf("%d %d\n", atomic_load(&counter), atomic_exchange(&counter, 9)); int e = 9; printf("%d", atomic_compare_exchange_strong(&counter, &e, 1)); printf(" %d %d\n", atomic_compare_exchange_strong(&counter, &e, 2), e);
	atomic_fetch_or(&counter, 6); atomic_fetch_and(&counter, ~2); atomic_fetch_xor(&counter, 1); printf("%d %d %d\n", counter, atomic_flag_test_and_set(&flag), atomic_flag_test_and_set(&flag)); tls++; printf("%d\n", tls);
	long v = 3; __atomic_store_n(&v, 8, __ATOMIC_SEQ_CST); printf("%ld %ld\n", __atomic_add_fetch(&v, 2, __ATOMIC_RELAXED), __sync_lock_test_and_set(&v, 1)); return 0;
}
