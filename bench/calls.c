/* What a call of GOMP_barrier costs: `calls COUNT` prints the CPU time of one in ns, over COUNT calls of one thread.
 * Outside of a parallel region it returns at once, so that nearly all of its price is that of the probes on it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
	double start = now();

	for (long i = 0; i < count; i++)
		GOMP_barrier();
	printf("%.2f\n", (now() - start) / count);
	return 0;
}
