/* SPDX-License-Identifier: Apache-2.0 */
/* The LTTng-UST provider `wastenot_call`: entry and return of a call in which a thread waits for others, and of the body of a
 * parallel region. Events `enter` and `leave`; the thread is the context `vtid`. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER wastenot_call

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "ust/provider.h"

#if !defined(WASTENOT_CALL_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define WASTENOT_CALL_PROVIDER_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
#define REGION                                                                                                         \
	lttng_ust_field_integer(uint8_t, kind, kind)                                                                   \
	lttng_ust_field_integer(uint64_t, code, code)                                                                  \
	lttng_ust_field_string(name, name)
/* clang-format on */

LTTNG_UST_TRACEPOINT_EVENT(wastenot_call, enter,
			   LTTNG_UST_TP_ARGS(uint8_t, kind, const char *, name, uint64_t, code, int32_t, peer, int64_t,
					     bytes),
			   LTTNG_UST_TP_FIELDS(REGION lttng_ust_field_integer(int32_t, peer, peer)
						       lttng_ust_field_integer(int64_t, bytes, bytes)))
LTTNG_UST_TRACEPOINT_EVENT(wastenot_call, leave, LTTNG_UST_TP_ARGS(uint8_t, kind, const char *, name, uint64_t, code),
			   LTTNG_UST_TP_FIELDS(REGION))

#endif

#include <lttng/tracepoint-event.h>
