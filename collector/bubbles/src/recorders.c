/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorders: libraries of their own, opened when the process starts, so that an application needs neither LTTng nor
 * Perfetto to be linked or to run. WASTENOT_BUBBLE_RECORDERS names them ("ust,perfetto"; "" for none; "ust" by default); one that is
 * not installed is passed over.
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

#define MOST_RECORDERS 4
#define WATCH_NS 50000000L /* how soon a recorder that attaches is noticed while the application calls nothing */

static struct {
	const struct bubble_recorder *recorder;
	int kinds; /* as of the last look */
} recorders[MOST_RECORDERS];
static int count;

static void open_recorder(const char *name)
{
	char file[96];
	void *library;
	bubble_recorder_door door;
	const struct bubble_recorder *recorder;

	snprintf(file, sizeof(file), "libwastenot-bubble-%s.so.0", name);
	library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	*(void **)&door = dlsym(library, BUBBLE_RECORDER_DOOR);
	recorder = door ? door() : NULL;
	if (recorder && count < MOST_RECORDERS)
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

void recorders_look(const struct tree *tree)
{
	for (int i = 0; i < count; i++) {
		const struct bubble_recorder *recorder = recorders[i].recorder;
		int now = recorder->kinds();

		if (now > recorders[i].kinds)
			tree_dump(tree, recorder->record, recorder->context);
		recorders[i].kinds = now;
	}
}

void recorders_glance(const struct tree *tree)
{
	for (int i = 0; i < count; i++)
		if (recorders[i].recorder->listening() != !!recorders[i].kinds)
			recorders_look(tree);
}

void recorders_tell(const struct bubble_event *event)
{
	for (int i = 0; i < count; i++)
		recorders[i].recorder->record(recorders[i].recorder->context, event);
}

int recorders_any(void)
{
	return count > 0;
}

static void (*to_call)(void);

static void *watch(void *unused)
{
	const struct timespec pause = { 0, WATCH_NS };

	for (;;) {
		nanosleep(&pause, NULL);
		to_call();
	}
	return unused;
}

void recorders_watch(void (*look)(void))
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all, before;

	to_call = look;
	if (!count || pthread_attr_init(&attributes))
		return;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	/* The application's signals are not for this thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, &attributes, watch, NULL))
		pthread_setname_np(thread, "wastenot-bubble");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}
