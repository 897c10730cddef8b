/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the tree and the recorders: one plain event, and the functions of a recorder. */
#ifndef WASTENOT_BUBBLE_EVENT_H
#define WASTENOT_BUBBLE_EVENT_H

#include <stdint.h>

/* In the order of the enum `bubble_event_kind` of the trace: the events' names are those. */
enum bubble_event_kind {
	BUBBLE_INIT,
	BUBBLE_ATTACH,
	BUBBLE_INSERT_THREAD,
	BUBBLE_INSERT_BUBBLE,
	BUBBLE_REMOVE,
	BUBBLE_WAKE,
	BUBBLE_PRIORITY,
	BUBBLE_BURST_LEVEL,
	BUBBLE_SLICE,
	BUBBLE_EXPECT,
	BUBBLE_MOVE,
	BUBBLE_BURST,
	BUBBLE_REGENERATE,
	BUBBLE_CLOSE,
	BUBBLE_DESTROY,
};

#define HOLDER_OUTSIDE 0
#define HOLDER_BUBBLE 1 /* from 2 on: enum wastenot_level */

struct bubble_event {
	enum bubble_event_kind kind;
	uint64_t bubble;    /* the entity, when it is a bubble; else 0 */
	int32_t tid;	    /* the entity, when it is a thread; else 0 */
	uint8_t holder;	    /* where it goes; for BUBBLE_BURST_LEVEL the level */
	uint64_t holder_id; /* the bubble that it goes into, or the component of the machine */
	int64_t value;	    /* priority, slice or expected time (ns) */
	const char *name;   /* of the bubble, with BUBBLE_INIT only */
	int32_t status;	    /* 0, or the negative errno with which the call was refused */
	uint8_t dump;	    /* recorded because a recorder attached, not because it happened now */
};

/*
 * A recorder's library exports `wastenot_bubble_recorder`, which returns one of these, or NULL when it cannot record. `listening` is
 * called before every event and has to be cheap. `kinds` is the number of kinds of events that are recorded now; when it rises, the
 * whole tree is recorded. `record` is called whether a session listens or not.
 */
struct bubble_recorder {
	int (*listening)(void);
	int (*kinds)(void);
	void (*record)(void *context, const struct bubble_event *event);
	void *context;
};

#define BUBBLE_RECORDER_SYMBOL "wastenot_bubble_recorder"
typedef const struct bubble_recorder *(*bubble_recorder_entry)(void);

#endif
