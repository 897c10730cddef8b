/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls cost here, in nanoseconds per call (median of rounds): prints, judges nothing. */
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

static void measure(const char *name, void (*call)(wastenot_bubble_t), int events)
{
	wastenot_bubble_t bubble = wastenot_bubble_init("cost");
	double rounds[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double begin = now_ns();

		for (int i = 0; i < CALLS; i++)
			call(bubble);
		rounds[r] = (now_ns() - begin) / CALLS;
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
	measure("set_priority", priority, 1);
	measure("insert_thread, remove_thread", in_and_out, 2);
	measure("init, insert_thread, destroy", made_filled_gone, 3);
	return 0;
}
