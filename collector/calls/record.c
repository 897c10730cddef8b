/* SPDX-License-Identifier: Apache-2.0 */
/* Events of calls go to LTTng-UST. With no session each costs a load and a branch. */
#define _GNU_SOURCE
#include "call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ust/provider.h"

void call_enter(enum region_kind kind, const char *name, uint64_t code, int32_t peer, int64_t bytes)
{
	lttng_ust_tracepoint(wastenot_call, enter, kind, name, code, peer, bytes);
}

int call_is_recorded(void)
{
	return lttng_ust_tracepoint_enabled(wastenot_call, enter);
}

void call_leave(enum region_kind kind, const char *name, uint64_t code)
{
	lttng_ust_tracepoint(wastenot_call, leave, kind, name, code);
}

/* Libraries that a program may have opened where only it sees them, as mpi4py does. */
static const char *const libraries[] = { "libmpi.so.40",   "libmpi.so.12", "libmpi.so.80",
					 "libmpich.so.12", "libmpi.so",	   "libgomp.so.1" };

void *call_next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	for (unsigned int i = 0; !found && i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library)
			found = dlsym(library, name);
	}
	if (!found) {
		fprintf(stderr, "wastenot: no library of this process has %s; run it without the preloaded library\n",
			name);
		abort();
	}
	return found;
}
