/* SPDX-License-Identifier: Apache-2.0 */
/* A bubble's life, for a look at its trace: two pairs in a bubble, burst on a node and on a core, closed again. With an argument it
 * waits that many milliseconds in the middle, for a session that comes late. */
#define _GNU_SOURCE
#include <wastenot/bubble.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void wait_ms(long ms)
{
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&pause, NULL);
}

/* The call's time on the clock of the trace, before and after: the event must lie between. */
static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	wastenot_bubble_t all = wastenot_bubble_init("all"), left = wastenot_bubble_init("left"),
			  right = wastenot_bubble_init("right");
	long long before, after;

	wastenot_bubble_insert_bubble(all, left);
	wastenot_bubble_insert_bubble(all, right);
	wastenot_bubble_insert_thread(left, 0);
	wastenot_bubble_set_priority(left, 3);
	wastenot_bubble_set_burst_level(all, WASTENOT_NODE);
	wastenot_bubble_wake_up(all);
	wait_ms(argc > 1 ? atol(argv[1]) : 0);
	wastenot_bubble_move(all, (struct wastenot_runqueue){ WASTENOT_NODE, 0 });
	before = now_ns();
	wastenot_bubble_burst(all);
	after = now_ns();
	wastenot_bubble_move(left, (struct wastenot_runqueue){ WASTENOT_CORE, 0 });
	wastenot_bubble_insert_bubble(left, all); /* refused: a loop */
	wastenot_bubble_regenerate(all);
	wastenot_bubble_close(all);
	wastenot_bubble_destroy(all);
	printf("{\"bubble\": %llu, \"burst_between_ns\": [%lld, %lld]}\n", (unsigned long long)all, before, after);
	wait_ms(100);
	return 0;
}
