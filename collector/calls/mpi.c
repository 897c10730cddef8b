/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of MPI in which a rank waits, around those of the profiling interface.
 *
 * It needs no header of MPI and so works with any implementation: what a function is given is passed on as it came. Arguments
 * are integers, handles (integers or pointers) and pointers, which are passed in the same registers and slots as `long` by the
 * calling conventions of x86-64 and AArch64 (System V ABI; AAPCS64), and the callee reads of each what its type has.
 */
#include "call.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* F(kind, function, parameters, arguments, peer) */
#define P2 long a, long b
#define A2 a, b
#define P3 P2, long c
#define A3 A2, c
#define P4 P3, long d
#define A4 A3, d
#define P5 P4, long e
#define A5 A4, e
#define P6 P5, long f
#define A6 A5, f
#define P7 P6, long g
#define A7 A6, g
#define P8 P7, long h
#define A8 A7, h
#define P9 P8, long i
#define A9 A8, i
#define P12 P9, long j, long k, long l
#define A12 A9, j, k, l

#define CALL(kind, name, n, peer)                                                                                      \
	EXPORT int MPI_##name(P##n);                                                                                   \
	EXPORT int MPI_##name(P##n)                                                                                    \
	{                                                                                                              \
		static int (*next)(P##n);                                                                              \
		int result;                                                                                            \
		if (!next)                                                                                             \
			*(void **)&next = call_next("PMPI_" #name);                                                    \
		call_enter(kind, "MPI_" #name, 0, peer);                                                               \
		result = next(A##n);                                                                                   \
		call_leave(kind, "MPI_" #name, 0);                                                                     \
		return result;                                                                                         \
	}

#define CALL1(kind, name)                                                                                              \
	EXPORT int MPI_##name(long a);                                                                                 \
	EXPORT int MPI_##name(long a)                                                                                  \
	{                                                                                                              \
		static int (*next)(long);                                                                              \
		int result;                                                                                            \
		if (!next)                                                                                             \
			*(void **)&next = call_next("PMPI_" #name);                                                    \
		call_enter(kind, "MPI_" #name, 0, NO_PEER);                                                            \
		result = next(a);                                                                                      \
		call_leave(kind, "MPI_" #name, 0);                                                                     \
		return result;                                                                                         \
	}

CALL(REGION_STARTUP, Init, 2, NO_PEER)
CALL(REGION_STARTUP, Init_thread, 4, NO_PEER)
CALL(REGION_WAIT, Wait, 2, NO_PEER)
CALL(REGION_WAIT, Waitall, 3, NO_PEER)
CALL(REGION_WAIT, Waitany, 4, NO_PEER)
CALL(REGION_WAIT, Waitsome, 5, NO_PEER)
CALL(REGION_RECEIVE, Recv, 7, (int32_t)d)
CALL(REGION_RECEIVE, Mrecv, 5, NO_PEER)
CALL(REGION_RECEIVE, Sendrecv, 12, (int32_t)d)
CALL(REGION_RECEIVE, Sendrecv_replace, 9, (int32_t)d)
CALL(REGION_SEND, Send, 6, (int32_t)d)
CALL(REGION_SEND, Ssend, 6, (int32_t)d)
CALL(REGION_SEND, Rsend, 6, (int32_t)d)
CALL(REGION_PROBE, Probe, 4, (int32_t)a)
CALL(REGION_PROBE, Mprobe, 5, (int32_t)a)
CALL1(REGION_COLLECTIVE, Barrier)
CALL(REGION_COLLECTIVE, Bcast, 5, (int32_t)d)
CALL(REGION_COLLECTIVE, Reduce, 7, (int32_t)f)
CALL(REGION_COLLECTIVE, Allreduce, 6, NO_PEER)
CALL(REGION_COLLECTIVE, Alltoall, 7, NO_PEER)
CALL(REGION_COLLECTIVE, Alltoallv, 9, NO_PEER)
CALL(REGION_COLLECTIVE, Alltoallw, 9, NO_PEER)
CALL(REGION_COLLECTIVE, Gather, 8, (int32_t)g)
CALL(REGION_COLLECTIVE, Gatherv, 9, (int32_t)h)
CALL(REGION_COLLECTIVE, Allgather, 7, NO_PEER)
CALL(REGION_COLLECTIVE, Allgatherv, 8, NO_PEER)
CALL(REGION_COLLECTIVE, Scatter, 8, (int32_t)g)
CALL(REGION_COLLECTIVE, Scatterv, 9, (int32_t)h)
CALL(REGION_COLLECTIVE, Reduce_scatter, 6, NO_PEER)
CALL(REGION_COLLECTIVE, Reduce_scatter_block, 6, NO_PEER)
CALL(REGION_COLLECTIVE, Scan, 6, NO_PEER)
CALL(REGION_COLLECTIVE, Exscan, 6, NO_PEER)

EXPORT int MPI_Finalize(void);
EXPORT int MPI_Finalize(void)
{
	int (*next)(void);
	int result;

	*(void **)&next = call_next("PMPI_Finalize");
	call_enter(REGION_STARTUP, "MPI_Finalize", 0, NO_PEER);
	result = next();
	call_leave(REGION_STARTUP, "MPI_Finalize", 0);
	return result;
}
