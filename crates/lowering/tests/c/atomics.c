#include <stdatomic.h>
_Atomic int counter;
atomic_flag flag = ATOMIC_FLAG_INIT;
_Atomic struct { char c[3]; } odd;
_Atomic double real;
int all(_Atomic long *p, int *q) {
    long expected = 1;
    counter++;
    counter += 5;
    real += 1.5;
    atomic_store_explicit(p, 3, memory_order_release);
    long a = atomic_load_explicit(p, memory_order_acquire);
    a += atomic_exchange(p, 9);
    a += atomic_fetch_and(p, 7) + atomic_fetch_or(p, 8) + atomic_fetch_xor(p, 9) + atomic_fetch_sub(p, 1);
    a += atomic_compare_exchange_strong(p, &expected, 5);
    a += atomic_compare_exchange_weak_explicit(p, &expected, 6, memory_order_acq_rel, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acquire);
    a += __sync_fetch_and_nand(q, 3) + __sync_val_compare_and_swap(q, 1, 2) + __atomic_fetch_max(q, 4, 5);
    a += __sync_bool_compare_and_swap(q, 3, 4) + __atomic_fetch_min((unsigned *)q, 2, 0);
    while (atomic_flag_test_and_set(&flag)) {}
    atomic_flag_clear(&flag);
    odd = odd;
    __sync_synchronize();
    return (int)a + __atomic_load_n(q, __ATOMIC_CONSUME);
}
