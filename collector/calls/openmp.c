/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool of OMPT (OpenMP API 5.0, chapter 4), which libomp finds by its function
 * `ompt_start_tool`; and the functions of libgomp, which has no OMPT, around the library's own.
 *
 * The types and numbers of OMPT are those of the specification (omp-tools.h), declared here as far as they are used: the
 * header is not always installed beside the runtime.
 */
#include "call.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- OMPT */

enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { CALLBACK_PARALLEL_BEGIN = 3, CALLBACK_PARALLEL_END = 4, CALLBACK_IMPLICIT_TASK = 7, CALLBACK_SYNC_REGION = 23 };
enum { TASK_INITIAL = 1, SYNC_REGION_REDUCTION = 7 };

typedef union {
	uint64_t value;
	void *ptr;
} ompt_data;
typedef void (*interface_function)(void);
typedef interface_function (*function_lookup)(const char *name);
typedef int (*set_callback)(int which, interface_function callback);

struct start_tool_result {
	int (*initialize)(function_lookup lookup, int device, ompt_data *data);
	void (*finalize)(ompt_data *data);
	ompt_data data;
};

static void on_parallel_begin(ompt_data *task, const void *frame, ompt_data *parallel, unsigned int threads, int flags,
			      const void *code)
{
	(void)task, (void)frame, (void)threads, (void)flags;
	parallel->value = (uint64_t)(uintptr_t)code; /* the tool's own word; bodies have no place of their own */
	call_enter(REGION_PARALLEL, "parallel", parallel->value, NO_PEER, NO_BYTES);
}

static void on_parallel_end(ompt_data *parallel, ompt_data *task, int flags, const void *code)
{
	(void)task, (void)flags, (void)code;
	call_leave(REGION_PARALLEL, "parallel", parallel->value);
}

/* The task's word keeps the place: at its end the region may be gone. */
static void on_implicit_task(int endpoint, ompt_data *parallel, ompt_data *task, unsigned int threads,
			     unsigned int index, int flags)
{
	(void)threads, (void)index;
	if (flags & TASK_INITIAL)
		return;
	if (endpoint == SCOPE_BEGIN) {
		task->value = parallel ? parallel->value : 0;
		call_enter(REGION_WORK, "body", task->value, NO_PEER, NO_BYTES);
	} else if (endpoint == SCOPE_END) {
		call_leave(REGION_WORK, "body", task->value);
	}
}

static const char *name_of(int kind)
{
	static const char *const names[] = {
		"",	     "barrier",	  "barrier implicit", "barrier explicit",  "barrier",	      "taskwait",
		"taskgroup", "reduction", "barrier of loop",  "barrier of region", "barrier of teams"
	};

	return kind > 0 && kind < (int)(sizeof(names) / sizeof(*names)) ? names[kind] : "synchronization";
}

static void on_sync_region(int kind, int endpoint, ompt_data *parallel, ompt_data *task, const void *code)
{
	(void)parallel, (void)task, (void)code; /* which differs between begin and end for barriers of regions */
	if (kind == SYNC_REGION_REDUCTION)
		return;
	if (endpoint == SCOPE_BEGIN)
		call_enter(REGION_BARRIER, name_of(kind), 0, NO_PEER, NO_BYTES);
	else if (endpoint == SCOPE_END)
		call_leave(REGION_BARRIER, name_of(kind), 0);
}

static int initialize(function_lookup lookup, int device, ompt_data *data)
{
	set_callback set = (set_callback)lookup("ompt_set_callback");

	(void)device, (void)data;
	if (!set)
		return 0;
	set(CALLBACK_PARALLEL_BEGIN, (interface_function)on_parallel_begin);
	set(CALLBACK_PARALLEL_END, (interface_function)on_parallel_end);
	set(CALLBACK_IMPLICIT_TASK, (interface_function)on_implicit_task);
	set(CALLBACK_SYNC_REGION, (interface_function)on_sync_region);
	return 1;
}

static void finalize(ompt_data *data)
{
	(void)data;
}

EXPORT struct start_tool_result *ompt_start_tool(unsigned int version, const char *runtime);
EXPORT struct start_tool_result *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct start_tool_result result = { initialize, finalize, { 0 } };

	(void)version, (void)runtime;
	return &result;
}

/* ---- libgomp */

struct body {
	void (*run)(void *);
	void *data;
};

/* What the threads of a region execute: the body, with its events. Its place in the program is that of the body. */
static void run_body(void *data)
{
	const struct body *body = data;
	uint64_t code = (uint64_t)(uintptr_t)body->run;

	call_enter(REGION_WORK, "body", code, NO_PEER, NO_BYTES);
	body->run(body->data);
	call_leave(REGION_WORK, "body", code);
}

#define PARALLEL(name, parameters, ...)                                                                                \
	EXPORT void name parameters;                                                                                   \
	EXPORT void name parameters                                                                                    \
	{                                                                                                              \
		static void(*next) parameters;                                                                         \
		struct body body = { run, data };                                                                      \
		if (!next)                                                                                             \
			*(void **)&next = call_next(#name);                                                            \
		call_enter(REGION_PARALLEL, #name, (uint64_t)(uintptr_t)run, NO_PEER, NO_BYTES);                       \
		next(run_body, &body, __VA_ARGS__);                                                                    \
		call_leave(REGION_PARALLEL, #name, (uint64_t)(uintptr_t)run);                                          \
	}
#define RUN void (*run)(void *), void *data, unsigned int threads
#define LOOP (RUN, long start, long end, long step, long chunk, unsigned int flags)
#define LOOP_RUNTIME (RUN, long start, long end, long step, unsigned int flags)

PARALLEL(GOMP_parallel, (RUN, unsigned int flags), threads, flags)
PARALLEL(GOMP_parallel_sections, (RUN, unsigned int count, unsigned int flags), threads, count, flags)
PARALLEL(GOMP_parallel_loop_static, LOOP, threads, start, end, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_dynamic, LOOP, threads, start, end, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_guided, LOOP, threads, start, end, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP, threads, start, end, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, LOOP, threads, start, end, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_runtime, LOOP_RUNTIME, threads, start, end, step, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, LOOP_RUNTIME, threads, start, end, step, flags)
PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, LOOP_RUNTIME, threads, start, end, step, flags)

#define BARRIER(name)                                                                                                  \
	EXPORT void name(void);                                                                                        \
	EXPORT void name(void)                                                                                         \
	{                                                                                                              \
		static void (*next)(void);                                                                             \
		if (!next)                                                                                             \
			*(void **)&next = call_next(#name);                                                            \
		call_enter(REGION_BARRIER, #name, 0, NO_PEER, NO_BYTES);                                               \
		next();                                                                                                \
		call_leave(REGION_BARRIER, #name, 0);                                                                  \
	}

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
BARRIER(GOMP_taskwait)
BARRIER(GOMP_taskgroup_end)
