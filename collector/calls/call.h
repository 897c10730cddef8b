/* SPDX-License-Identifier: Apache-2.0 */
/* What the libraries report: a thread enters or leaves a call in which it waits, or the body of a parallel region. */
#ifndef WASTENOT_CALL_H
#define WASTENOT_CALL_H

#include <stdint.h>

/* The codes of `region_kind` (schemas/enums.toml). */
enum region_kind {
	REGION_WORK,
	REGION_PARALLEL,
	REGION_BARRIER,
	REGION_COLLECTIVE,
	REGION_WAIT,
	REGION_RECEIVE,
	REGION_SEND,
	REGION_PROBE,
	REGION_STARTUP,
};

#define NO_PEER INT32_MIN
#define NO_BYTES (-1)

/* `name` is a string that stays. `code`: the place in the program, by which calls of one name are distinguished; 0 none. */
void call_enter(enum region_kind kind, const char *name, uint64_t code, int32_t peer, int64_t bytes);
void call_leave(enum region_kind kind, const char *name, uint64_t code);

/* A session records entries: what costs time to find out is asked for. */
int call_is_recorded(void);

/* The function `name` of the library that the program would have called; ends the process where there is none. */
void *call_next(const char *name);

#endif
