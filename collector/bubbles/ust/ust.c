/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder that speaks to LTTng-UST. With no session it costs a load and a branch per event. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ust/provider.h"

#define EVENTS(X)                                                                                                      \
	X(BUBBLE_INIT, init)                                                                                           \
	X(BUBBLE_ATTACH, attach)                                                                                       \
	X(BUBBLE_INSERT_THREAD, insert_thread)                                                                         \
	X(BUBBLE_INSERT_BUBBLE, insert_bubble)                                                                         \
	X(BUBBLE_REMOVE, remove)                                                                                       \
	X(BUBBLE_WAKE, wake)                                                                                           \
	X(BUBBLE_PRIORITY, priority)                                                                                   \
	X(BUBBLE_BURST_LEVEL, burst_level)                                                                             \
	X(BUBBLE_SLICE, slice)                                                                                         \
	X(BUBBLE_EXPECT, expect)                                                                                       \
	X(BUBBLE_MOVE, move)                                                                                           \
	X(BUBBLE_BURST, burst)                                                                                         \
	X(BUBBLE_REGENERATE, regenerate)                                                                               \
	X(BUBBLE_CLOSE, close)                                                                                         \
	X(BUBBLE_DESTROY, destroy)

static int listening(void)
{
	return lttng_ust_tracepoint_enabled(wastenot_bubble, statedump);
}

/* A session switches its events on one after the other; the last ones may come after the tree was written, so it is written again. */
static int kinds(void)
{
#define ENABLED(kind, name) +!!lttng_ust_tracepoint_enabled(wastenot_bubble, name)
	return listening() ? 1 EVENTS(ENABLED) : 0;
#undef ENABLED
}

static void record(void *context, const struct bubble_event *event)
{
	(void)context;
	if (event->dump) {
		lttng_ust_tracepoint(wastenot_bubble, statedump, event);
		return;
	}
	switch (event->kind) {
#define RECORD(kind, name)                                                                                             \
	case kind:                                                                                                     \
		lttng_ust_tracepoint(wastenot_bubble, name, event);                                                    \
		break;
		EVENTS(RECORD)
#undef RECORD
	}
}

const struct bubble_recorder *wastenot_bubble_recorder(void);

const struct bubble_recorder *wastenot_bubble_recorder(void)
{
	static const struct bubble_recorder recorder = { listening, kinds, record, 0 };

	return &recorder;
}
