/* Threads that wait for each other in every way of the library; what comes out does not depend on who runs when. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long counter;
static int full, item, sum;
static __thread int own = 7;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, destroyed;
static sem_t done;

static void make(void) { made++; }
static void destroy(void *p) { destroyed++; free(p); }

static void *count(void *p)
{
	pthread_once(&once, make);
	pthread_setspecific(key, malloc(4));
	for (int i = 0; i < 3000; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
		own += *(int *)p;
	}
	return (void *)(long)own;
}

static void *produce(void *p)
{
	(void)p;
	for (int i = 1; i <= 50; i++) {
		pthread_mutex_lock(&lock);
		while (full)
			pthread_cond_wait(&changed, &lock);
		item = i;
		full = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return "produced";
}

static void *consume(void *p)
{
	(void)p;
	for (int i = 1; i <= 50; i++) {
		pthread_mutex_lock(&lock);
		while (!full)
			pthread_cond_wait(&changed, &lock);
		sum += item;
		full = 0;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return "consumed";
}

static void *detached(void *p)
{
	char local[64];
	snprintf(local, sizeof local, "%s", (char *)p);
	usleep(1000);
	sem_post(&done);
	return 0;
}

static int c11(void *p) { return *(int *)p * 2; }

int main(void)
{
	pthread_t threads[4];
	int steps[4] = {1, 2, 3, 4};
	long own_sum = 0;
	void *result;
	pthread_key_create(&key, destroy);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], 0, count, &steps[i]))
			return 1;
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		own_sum += (long)result;
	}
	printf("%ld %ld %d %d %d\n", counter, own_sum, own, made, destroyed);
	pthread_create(&threads[0], 0, consume, 0);
	pthread_create(&threads[1], 0, produce, 0);
	pthread_join(threads[0], &result);
	printf("%s", (char *)result);
	pthread_join(threads[1], &result);
	printf(" %s %d\n", (char *)result, sum);
	sem_init(&done, 0, 0);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&threads[2], &attributes, detached, "text");
	sem_wait(&done);
	thrd_t other;
	int number = 21, answer;
	thrd_create(&other, c11, &number);
	thrd_join(other, &answer);
	printf("%d\n", answer);
	fflush(stdout);
	pthread_exit(0);
}
