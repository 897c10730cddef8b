/* A counter on MPI's profiling interface, of the smallest kind: what any tool that is preloaded pays at least. Per call of
 * MPI_Barrier the time of two readings of the clock, added up, as TALP of DLB does it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static long calls, inside_ns;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int MPI_Barrier(long comm);
int MPI_Barrier(long comm)
{
	static int (*next)(long);
	long start = now();
	int result;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "PMPI_Barrier");
	result = next(comm);
	inside_ns += now() - start;
	calls++;
	return result;
}
