/* What a call of GOMP_barrier costs: `calls COUNT` prints the CPU time of one in ns, over COUNT calls (thousands) of one thread.
 * Outside of a parallel region it returns at once, so that nearly all of its price is that of the probes on it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Calls in a row, after which the program sleeps (not measured): a tracer whose buffers are full would only count. */
#define BURST 1000
#define PAUSE_NS 20000000L

extern void GOMP_barrier(void);

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1;
	const struct timespec pause = { 0, PAUSE_NS };
	double spent = 0;

	for (long done = 0; done < count; done += BURST) {
		double start = now();

		for (long i = 0; i < BURST; i++)
			GOMP_barrier();
		spent += now() - start;
		nanosleep(&pause, NULL);
	}
	printf("%.2f\n", spent / count);
	return 0;
}
