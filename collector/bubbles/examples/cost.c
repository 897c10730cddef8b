/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls cost here, in nanoseconds per call (median of rounds): prints, and checks nothing. */
#define _GNU_SOURCE
#include <wastenot/bubble.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 41
#define CALLS 20000

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void priority(wastenot_bubble_t bubble)
{
	wastenot_bubble_set_priority(bubble, 1);
}

static void in_and_out(wastenot_bubble_t bubble)
{
	wastenot_bubble_insert_thread(bubble, 1);
	wastenot_bubble_remove_thread(1);
}

static void made_filled_gone(wastenot_bubble_t unused)
{
	wastenot_bubble_t bubble = wastenot_bubble_init("b");

	(void)unused;
	wastenot_bubble_insert_thread(bubble, 1);
	wastenot_bubble_destroy(bubble);
}

static void *nothing(void *unused)
{
	return unused;
}

static void *in_bubble(void *bubble)
{
	wastenot_bubble_insert_thread(*(wastenot_bubble_t *)bubble, 0);
	wastenot_bubble_remove_thread(0);
	return NULL;
}

static void thread_alone(wastenot_bubble_t unused)
{
	pthread_t made;

	(void)unused;
	if (!pthread_create(&made, NULL, nothing, NULL))
		pthread_join(made, NULL);
}

/* What the documents measured: a bubble with a thread in it, made and gone, beside a thread alone. */
static void bubble_with_thread(wastenot_bubble_t unused)
{
	wastenot_bubble_t bubble = wastenot_bubble_init("b");
	pthread_t made;

	(void)unused;
	if (!pthread_create(&made, NULL, in_bubble, &bubble))
		pthread_join(made, NULL);
	wastenot_bubble_destroy(bubble);
}

static void measure(const char *name, void (*call)(wastenot_bubble_t), int events, int calls)
{
	wastenot_bubble_t bubble = wastenot_bubble_init("cost");
	double rounds[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double begin = now_ns();

		for (int i = 0; i < calls; i++)
			call(bubble);
		rounds[r] = (now_ns() - begin) / calls;
	}
	qsort(rounds, ROUNDS, sizeof(*rounds), by_size);
	printf("{\"what\": \"%s\", \"ns\": %.1f, \"events\": %d}\n", name, rounds[ROUNDS / 2], events);
	wastenot_bubble_destroy(bubble);
}

static void *other(void *unused)
{
	pause();
	return unused;
}

int main(void)
{
	pthread_t thread;

	/* An application with bubbles has threads, and locks cost more then. */
	if (pthread_create(&thread, NULL, other, NULL))
		return 1;
	measure("set_priority", priority, 1, CALLS);
	measure("insert_thread, remove_thread", in_and_out, 2, CALLS);
	measure("init, insert_thread, destroy", made_filled_gone, 3, CALLS);
	measure("thread", thread_alone, 0, CALLS / 40);
	measure("bubble with a thread", bubble_with_thread, 4, CALLS / 40);
	return 0;
}
