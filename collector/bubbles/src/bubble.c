/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions: each is one event, applied to the tree and recorded under one lock, so that the trace has the order of
 * the tree. */
#define _GNU_SOURCE
#include "recorders.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct tree tree;

static void poll_recorders(void)
{
	pthread_mutex_lock(&lock);
	recorders_poll(&tree);
	pthread_mutex_unlock(&lock);
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child keeps its parent's tree, makes bubbles under its own process number and polls the recorders itself. */
static void in_child(void)
{
	pthread_mutex_unlock(&lock);
	recorders_watch(poll_recorders);
}

static void start_recorders(void)
{
	if (!recorders_any())
		return;
	pthread_atfork(before_fork, after_fork, in_child);
	recorders_watch(poll_recorders);
}

static int apply(struct bubble_event *event)
{
	pthread_once(&once, start_recorders);
	pthread_mutex_lock(&lock);
	recorders_check(&tree);
	event->status = tree_apply(&tree, event);
	recorders_record(event);
	pthread_mutex_unlock(&lock);
	return event->status;
}

static pid_t or_myself(pid_t tid)
{
	return tid ? tid : (pid_t)syscall(SYS_gettid);
}

#define APPLY(...) apply(&(struct bubble_event){ __VA_ARGS__ })

wastenot_bubble_t wastenot_bubble_init(const char *name)
{
	struct bubble_event event = { .kind = BUBBLE_INIT, .name = name ? name : "" };

	return apply(&event) ? WASTENOT_NO_BUBBLE : event.bubble;
}

int wastenot_bubble_insert_thread(wastenot_bubble_t bubble, pid_t tid)
{
	return APPLY(.kind = BUBBLE_INSERT_THREAD, .tid = or_myself(tid), .holder = HOLDER_BUBBLE, .holder_id = bubble);
}

int wastenot_bubble_insert_bubble(wastenot_bubble_t bubble, wastenot_bubble_t inner)
{
	return APPLY(.kind = BUBBLE_INSERT_BUBBLE, .bubble = inner, .holder = HOLDER_BUBBLE, .holder_id = bubble);
}

int wastenot_bubble_remove_thread(pid_t tid)
{
	return APPLY(.kind = BUBBLE_REMOVE, .tid = or_myself(tid));
}

int wastenot_bubble_remove_bubble(wastenot_bubble_t inner)
{
	return APPLY(.kind = BUBBLE_REMOVE, .bubble = inner);
}

int wastenot_thread_attach(pid_t tid)
{
	return APPLY(.kind = BUBBLE_ATTACH, .tid = or_myself(tid));
}

int wastenot_bubble_wake_up(wastenot_bubble_t bubble)
{
	return APPLY(.kind = BUBBLE_WAKE, .bubble = bubble);
}

int wastenot_bubble_set_priority(wastenot_bubble_t bubble, int priority)
{
	return APPLY(.kind = BUBBLE_PRIORITY, .bubble = bubble, .value = priority);
}

int wastenot_thread_set_priority(pid_t tid, int priority)
{
	return APPLY(.kind = BUBBLE_PRIORITY, .tid = or_myself(tid), .value = priority);
}

int wastenot_bubble_set_slice(wastenot_bubble_t bubble, uint64_t slice_ns)
{
	return APPLY(.kind = BUBBLE_SLICE, .bubble = bubble, .value = (int64_t)slice_ns);
}

int wastenot_bubble_expect(wastenot_bubble_t bubble, uint64_t cpu_ns)
{
	return APPLY(.kind = BUBBLE_EXPECT, .bubble = bubble, .value = (int64_t)cpu_ns);
}

int wastenot_thread_expect(pid_t tid, uint64_t cpu_ns)
{
	return APPLY(.kind = BUBBLE_EXPECT, .tid = or_myself(tid), .value = (int64_t)cpu_ns);
}

int wastenot_bubble_set_burst_level(wastenot_bubble_t bubble, enum wastenot_level level)
{
	return APPLY(.kind = BUBBLE_BURST_LEVEL, .bubble = bubble, .holder = (uint8_t)level);
}

int wastenot_bubble_move(wastenot_bubble_t bubble, struct wastenot_runqueue to)
{
	return APPLY(.kind = BUBBLE_MOVE, .bubble = bubble, .holder = (uint8_t)to.level, .holder_id = to.index);
}

int wastenot_thread_move(pid_t tid, struct wastenot_runqueue to)
{
	return APPLY(.kind = BUBBLE_MOVE, .tid = or_myself(tid), .holder = (uint8_t)to.level, .holder_id = to.index);
}

int wastenot_bubble_burst(wastenot_bubble_t bubble)
{
	return APPLY(.kind = BUBBLE_BURST, .bubble = bubble);
}

int wastenot_bubble_regenerate(wastenot_bubble_t bubble)
{
	return APPLY(.kind = BUBBLE_REGENERATE, .bubble = bubble);
}

int wastenot_bubble_close(wastenot_bubble_t bubble)
{
	return APPLY(.kind = BUBBLE_CLOSE, .bubble = bubble);
}

int wastenot_bubble_destroy(wastenot_bubble_t bubble)
{
	return APPLY(.kind = BUBBLE_DESTROY, .bubble = bubble);
}

void wastenot_bubble_count(uint32_t *bubbles, uint32_t *threads)
{
	pthread_mutex_lock(&lock);
	*bubbles = (uint32_t)tree.bubbles.used;
	*threads = (uint32_t)tree.threads.used;
	pthread_mutex_unlock(&lock);
}

static void record(void *context, const struct bubble_event *event)
{
	(void)context;
	recorders_record(event);
}

void wastenot_bubble_dump(void)
{
	pthread_mutex_lock(&lock);
	tree_dump(&tree, record, NULL);
	pthread_mutex_unlock(&lock);
}
