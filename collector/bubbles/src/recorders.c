/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorders: libraries of their own, opened when the process starts, so that an application needs neither LTTng nor
 * Perfetto to be linked or to run. WASTENOT_BUBBLE_RECORDERS names them ("ust,perfetto"; "" for none; "ust" by default); one that is
 * not installed is ignored.
 */
#define _GNU_SOURCE
#include "recorders.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_RECORDERS 4
#define WATCH_NS 50000000L /* interval of polls for a recorder that attaches while the application calls nothing */

static struct {
	const struct bubble_recorder *recorder;
	int kinds; /* at the last poll */
} recorders[MAX_RECORDERS];
static int count;

static void open_recorder(const char *name)
{
	char file[96];
	void *library;
	bubble_recorder_entry entry;
	const struct bubble_recorder *recorder;

	snprintf(file, sizeof(file), "libwastenot-bubble-%s.so.0", name);
	library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	*(void **)&entry = dlsym(library, BUBBLE_RECORDER_SYMBOL);
	recorder = entry ? entry() : NULL;
	if (recorder && count < MAX_RECORDERS)
		recorders[count++].recorder = recorder;
}

__attribute__((constructor)) static void open_recorders(void)
{
	const char *names = getenv("WASTENOT_BUBBLE_RECORDERS");
	char copy[128], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", names ? names : "ust");
	for (char *name; (name = strsep(&rest, ","));)
		if (*name && !strchr(name, '/'))
			open_recorder(name);
}

void recorders_poll(const struct tree *tree)
{
	for (int i = 0; i < count; i++) {
		const struct bubble_recorder *recorder = recorders[i].recorder;
		int now = recorder->kinds();

		if (now > recorders[i].kinds)
			tree_dump(tree, recorder->record, recorder->context);
		recorders[i].kinds = now;
	}
}

void recorders_check(const struct tree *tree)
{
	for (int i = 0; i < count; i++)
		if (recorders[i].recorder->listening() != !!recorders[i].kinds)
			recorders_poll(tree);
}

void recorders_record(const struct bubble_event *event)
{
	for (int i = 0; i < count; i++)
		recorders[i].recorder->record(recorders[i].recorder->context, event);
}

int recorders_any(void)
{
	return count > 0;
}

static void (*callback)(void);

static void *watch(void *unused)
{
	const struct timespec pause = { 0, WATCH_NS };

	for (;;) {
		nanosleep(&pause, NULL);
		callback();
	}
	return unused;
}

void recorders_watch(void (*poll)(void))
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all, before;

	callback = poll;
	if (!count || pthread_attr_init(&attributes))
		return;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	/* Leave the application's signals to its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, &attributes, watch, NULL))
		pthread_setname_np(thread, "wastenot-bubble");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}
