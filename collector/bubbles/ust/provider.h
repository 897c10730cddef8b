/* SPDX-License-Identifier: Apache-2.0 */
/* The LTTng-UST provider `wastenot_bubble`: an event for each call of bubble.h, and `statedump` for what stood when a session began.
 * Only the fields that a call has are recorded. `status` is 0, or the negative errno with which the call was refused. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER wastenot_bubble

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "ust/provider.h"

#if !defined(WASTENOT_BUBBLE_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define WASTENOT_BUBBLE_PROVIDER_H

#include "src/event.h"

#include <lttng/tracepoint.h>

#define EVENT_ARGS LTTNG_UST_TP_ARGS(const struct bubble_event *, e)
/* clang-format off */
#define ENTITY                                                                                                         \
	lttng_ust_field_integer(uint64_t, bubble, e->bubble)                                                           \
	lttng_ust_field_integer(int32_t, tid, e->tid)
#define HOLDER                                                                                                         \
	lttng_ust_field_integer(uint8_t, holder, e->holder)                                                            \
	lttng_ust_field_integer(uint64_t, holder_id, e->holder_id)
#define VALUE lttng_ust_field_integer(int64_t, value, e->value)
#define NAME lttng_ust_field_string(name, e->name ? e->name : "")
#define STATUS lttng_ust_field_integer(int32_t, status, e->status)
/* clang-format on */

LTTNG_UST_TRACEPOINT_EVENT(wastenot_bubble, init, EVENT_ARGS, LTTNG_UST_TP_FIELDS(ENTITY NAME STATUS))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(wastenot_bubble, of_entity, EVENT_ARGS, LTTNG_UST_TP_FIELDS(ENTITY STATUS))
#define OF_ENTITY(call)                                                                                                \
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(wastenot_bubble, of_entity, wastenot_bubble, call, EVENT_ARGS)
OF_ENTITY(attach)
OF_ENTITY(remove)
OF_ENTITY(wake)
OF_ENTITY(burst)
OF_ENTITY(regenerate)
OF_ENTITY(close)
OF_ENTITY(destroy)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(wastenot_bubble, with_holder, EVENT_ARGS, LTTNG_UST_TP_FIELDS(ENTITY HOLDER STATUS))
#define WITH_HOLDER(call)                                                                                              \
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(wastenot_bubble, with_holder, wastenot_bubble, call, EVENT_ARGS)
WITH_HOLDER(insert_thread)
WITH_HOLDER(insert_bubble)
WITH_HOLDER(move)
WITH_HOLDER(burst_level)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(wastenot_bubble, with_value, EVENT_ARGS, LTTNG_UST_TP_FIELDS(ENTITY VALUE STATUS))
#define WITH_VALUE(call)                                                                                               \
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(wastenot_bubble, with_value, wastenot_bubble, call, EVENT_ARGS)
WITH_VALUE(priority)
WITH_VALUE(slice)
WITH_VALUE(expect)

/* `kind` is the number of the event in enum bubble_event_kind; it would have had these fields. */
LTTNG_UST_TRACEPOINT_EVENT(wastenot_bubble, statedump, EVENT_ARGS,
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint8_t, kind, e->kind)
						       ENTITY HOLDER VALUE NAME))

#endif

#include <lttng/tracepoint-event.h>
