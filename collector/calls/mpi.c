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

/* Bytes of `count` elements of a type. Not known where the buffer is MPI_IN_PLACE (1 in Open MPI, -1 in MPICH), beside which
 * count and type mean nothing, and need not exist; 0 for a buffer that is never that. */
static int64_t bytes_of(long buffer, long count, long type)
{
	static int (*size_of)(long, int *);
	int size = 0;

	if (!call_is_recorded() || buffer == 1 || buffer == -1 || (int32_t)count < 0)
		return NO_BYTES;
	if ((int32_t)count == 0)
		return 0;
	if (!size_of)
		*(void **)&size_of = call_next("PMPI_Type_size");
	return size_of(type, &size) == 0 && size >= 0 ? (int64_t)(int32_t)count * size : NO_BYTES;
}

/* Of a collective with a root. Between groups (MPI_ROOT, MPI_PROC_NULL: negative) some ranks give no data. */
static int64_t bytes_at(long root, long buffer, long count, long type)
{
	return (int32_t)root < 0 ? NO_BYTES : bytes_of(buffer, count, type);
}

/* F(kind, function, parameters, arguments, peer, bytes of the message, or of the rank's part of a collective) */
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

#define CALL(kind, name, n, peer, bytes)                                                                               \
	EXPORT int MPI_##name(P##n);                                                                                   \
	EXPORT int MPI_##name(P##n)                                                                                    \
	{                                                                                                              \
		static int (*next)(P##n);                                                                              \
		int result;                                                                                            \
		if (!next)                                                                                             \
			*(void **)&next = call_next("PMPI_" #name);                                                    \
		call_enter(kind, "MPI_" #name, 0, peer, bytes);                                                        \
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
		call_enter(kind, "MPI_" #name, 0, NO_PEER, NO_BYTES);                                                  \
		result = next(a);                                                                                      \
		call_leave(kind, "MPI_" #name, 0);                                                                     \
		return result;                                                                                         \
	}

CALL(REGION_STARTUP, Init, 2, NO_PEER, NO_BYTES)
CALL(REGION_STARTUP, Init_thread, 4, NO_PEER, NO_BYTES)
CALL(REGION_WAIT, Wait, 2, NO_PEER, NO_BYTES)
CALL(REGION_WAIT, Waitall, 3, NO_PEER, NO_BYTES)
CALL(REGION_WAIT, Waitany, 4, NO_PEER, NO_BYTES)
CALL(REGION_WAIT, Waitsome, 5, NO_PEER, NO_BYTES)
CALL(REGION_RECEIVE, Recv, 7, (int32_t)d, bytes_of(0, b, c))
CALL(REGION_RECEIVE, Mrecv, 5, NO_PEER, bytes_of(0, b, c))
CALL(REGION_RECEIVE, Sendrecv, 12, (int32_t)d, bytes_of(0, b, c))
CALL(REGION_RECEIVE, Sendrecv_replace, 9, (int32_t)d, bytes_of(0, b, c))
CALL(REGION_SEND, Send, 6, (int32_t)d, bytes_of(0, b, c))
CALL(REGION_SEND, Ssend, 6, (int32_t)d, bytes_of(0, b, c))
CALL(REGION_SEND, Rsend, 6, (int32_t)d, bytes_of(0, b, c))
CALL(REGION_PROBE, Probe, 4, (int32_t)a, NO_BYTES)
CALL(REGION_PROBE, Mprobe, 5, (int32_t)a, NO_BYTES)
CALL1(REGION_COLLECTIVE, Barrier)
CALL(REGION_COLLECTIVE, Bcast, 5, (int32_t)d, bytes_at(d, 0, b, c))
CALL(REGION_COLLECTIVE, Reduce, 7, (int32_t)f, bytes_at(f, 0, c, d))
CALL(REGION_COLLECTIVE, Allreduce, 6, NO_PEER, bytes_of(0, c, d))
CALL(REGION_COLLECTIVE, Alltoall, 7, NO_PEER, NO_BYTES)
CALL(REGION_COLLECTIVE, Alltoallv, 9, NO_PEER, NO_BYTES)
CALL(REGION_COLLECTIVE, Alltoallw, 9, NO_PEER, NO_BYTES)
CALL(REGION_COLLECTIVE, Gather, 8, (int32_t)g, bytes_at(g, a, b, c))
CALL(REGION_COLLECTIVE, Gatherv, 9, (int32_t)h, bytes_at(h, a, b, c))
CALL(REGION_COLLECTIVE, Allgather, 7, NO_PEER, bytes_of(a, b, c))
CALL(REGION_COLLECTIVE, Allgatherv, 8, NO_PEER, bytes_of(a, b, c))
CALL(REGION_COLLECTIVE, Scatter, 8, (int32_t)g, bytes_at(g, d, e, f))
CALL(REGION_COLLECTIVE, Scatterv, 9, (int32_t)h, bytes_at(h, e, f, g))
CALL(REGION_COLLECTIVE, Reduce_scatter, 6, NO_PEER, NO_BYTES)
CALL(REGION_COLLECTIVE, Reduce_scatter_block, 6, NO_PEER, bytes_of(0, c, d))
CALL(REGION_COLLECTIVE, Scan, 6, NO_PEER, bytes_of(0, c, d))
CALL(REGION_COLLECTIVE, Exscan, 6, NO_PEER, bytes_of(0, c, d))

EXPORT int MPI_Finalize(void);
EXPORT int MPI_Finalize(void)
{
	int (*next)(void);
	int result;

	*(void **)&next = call_next("PMPI_Finalize");
	call_enter(REGION_STARTUP, "MPI_Finalize", 0, NO_PEER, NO_BYTES);
	result = next();
	call_leave(REGION_STARTUP, "MPI_Finalize", 0);
	return result;
}
