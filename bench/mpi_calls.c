/* What a call of MPI_Barrier costs in a communicator of one rank, where it returns at once: `mpi_calls COUNT` prints the CPU
 * time of one in ns; COUNT in thousands. It runs without mpirun. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Calls in a row, after which the program sleeps (not measured): a tracer whose buffers are full would only count. */
#define BURST 1000
#define PAUSE_NS 20000000L

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

	MPI_Init(&argc, &argv);
	for (long i = 0; i < 100; i++) /* what the first calls set up */
		MPI_Barrier(MPI_COMM_SELF);
	for (long done = 0; done < count; done += BURST) {
		double start = now();

		for (long i = 0; i < BURST; i++)
			MPI_Barrier(MPI_COMM_SELF);
		spent += now() - start;
		nanosleep(&pause, NULL);
	}
	printf("%.2f\n", spent / count);
	MPI_Finalize();
	return 0;
}
