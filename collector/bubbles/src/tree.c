/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct entity *bubble_of(const struct tree *tree, uint64_t id)
{
	return id ? table_find(&tree->bubbles, id) : NULL;
}

static void link_into(struct entity *bubble, struct entity *entity)
{
	entity->bubble = bubble;
	entity->previous = NULL;
	entity->next = bubble->first;
	if (bubble->first)
		bubble->first->previous = entity;
	bubble->first = entity;
}

static void unlink_from_bubble(struct entity *entity)
{
	if (entity->previous)
		entity->previous->next = entity->next;
	else if (entity->bubble)
		entity->bubble->first = entity->next;
	if (entity->next)
		entity->next->previous = entity->previous;
	entity->bubble = entity->next = entity->previous = NULL;
}

static struct entity *new_entity(struct table *table, uint64_t id)
{
	struct entity *entity = calloc(1, sizeof(*entity));

	if (!entity)
		return NULL;
	entity->id = id;
	if (table_put(table, id, entity)) {
		free(entity);
		return NULL;
	}
	return entity;
}

static struct entity *known_thread(const struct tree *tree, int32_t tid)
{
	return tid > 0 ? table_find(&tree->threads, (uint64_t)tid) : NULL;
}

/* The thread, made known if it was not; NULL when memory is short. */
static struct entity *thread_of(struct tree *tree, int32_t tid)
{
	struct entity *thread = known_thread(tree, tid);

	if (!thread) {
		thread = new_entity(&tree->threads, (uint64_t)tid);
		if (thread)
			thread->is_thread = 1;
	}
	return thread;
}

static int init(struct tree *tree, struct bubble_event *event)
{
	uint64_t id = (uint64_t)getpid() << 32 | (tree->made + 1);
	struct entity *bubble = new_entity(&tree->bubbles, id);

	if (!bubble)
		return -ENOMEM;
	tree->made++;
	strncpy(bubble->name, event->name, NAME_BYTES - 1);
	event->bubble = id;
	event->name = bubble->name;
	return 0;
}

static int move(struct entity *entity, uint8_t level, uint64_t index)
{
	if (level < WASTENOT_MACHINE || level > WASTENOT_ASIDE)
		return -EINVAL;
	if (entity->bubble && !entity->bubble->burst)
		return -EBUSY;
	entity->queue_level = level;
	entity->queue_index = index;
	return 0;
}

static int attach(struct tree *tree, int32_t tid)
{
	struct entity *thread;

	if (tid <= 0)
		return -EINVAL;
	if (known_thread(tree, tid))
		return -EEXIST;
	thread = thread_of(tree, tid);
	return thread ? move(thread, WASTENOT_MACHINE, 0) : -ENOMEM;
}

static int insert(struct entity *bubble, struct entity *entity)
{
	if (!entity || !bubble)
		return -ENOENT;
	for (struct entity *outer = bubble; outer; outer = outer->bubble)
		if (outer == entity)
			return -ELOOP;
	if (entity->bubble)
		return -EEXIST;
	if (entity->burst)
		return -EBUSY;
	/* A closed bubble takes it off its runqueue; a burst one releases it at once, to where the bubble is. */
	entity->queue_level = bubble->burst ? bubble->queue_level : 0;
	entity->queue_index = bubble->queue_index;
	link_into(bubble, entity);
	return 0;
}

static int insert_thread(struct tree *tree, struct entity *bubble, int32_t tid)
{
	struct entity *thread;

	if (!bubble)
		return -ENOENT;
	if (tid <= 0)
		return -EINVAL;
	thread = thread_of(tree, tid);
	return thread ? insert(bubble, thread) : -ENOMEM;
}

/* Out of its bubble, onto the nearest runqueue above where no runqueue holds it yet; a thread at least onto the machine's. */
static void release(struct entity *entity)
{
	const struct entity *above = entity;

	while (above->bubble && !above->queue_level)
		above = above->bubble;
	entity->queue_level = above->queue_level || !entity->is_thread ? above->queue_level : WASTENOT_MACHINE;
	entity->queue_index = above->queue_level ? above->queue_index : 0;
	unlink_from_bubble(entity);
}

/* A thread that is removed is forgotten: its number may soon be another thread's. */
static int leave(struct tree *tree, struct entity *entity)
{
	if (entity->is_thread) {
		unlink_from_bubble(entity);
		table_remove(&tree->threads, entity->id);
		free(entity);
		return 0;
	}
	if (!entity->bubble)
		return -ENOENT;
	release(entity);
	return 0;
}

static int burst(struct entity *bubble)
{
	if (!bubble->queue_level || bubble->burst)
		return -EINVAL;
	bubble->burst = 1;
	for (struct entity *held = bubble->first; held; held = held->next)
		move(held, bubble->queue_level, bubble->queue_index);
	return 0;
}

/* What comes next in a walk through a bubble, outer entities first; NULL at the end. */
static struct entity *next_within(const struct entity *bubble, struct entity *at)
{
	if (at->first)
		return at->first;
	while (at != bubble && !at->next)
		at = at->bubble;
	return at == bubble ? NULL : at->next;
}

/* All the way down: a bubble that had burst inside this one is closed with it. */
static int take_back(struct entity *bubble)
{
	if (!bubble->burst)
		return -EINVAL;
	bubble->burst = 0;
	for (struct entity *at = next_within(bubble, bubble); at; at = next_within(bubble, at)) {
		at->burst = 0;
		at->queue_level = 0;
	}
	return 0;
}

static int destroy(struct tree *tree, struct entity *bubble)
{
	while (bubble->first)
		release(bubble->first);
	unlink_from_bubble(bubble);
	table_remove(&tree->bubbles, bubble->id);
	free(bubble);
	return 0;
}

static int set_burst_level(struct entity *bubble, uint8_t level)
{
	if (level < WASTENOT_MACHINE || level > WASTENOT_CPU)
		return -EINVAL;
	bubble->burst_level = level;
	return 0;
}

/* What concerns one entity that is there already. */
static int apply_to(struct tree *tree, struct entity *entity, const struct bubble_event *event)
{
	switch (event->kind) {
	case BUBBLE_REMOVE:
		return leave(tree, entity);
	case BUBBLE_WAKE:
		return entity->bubble || entity->queue_level ? 0 : move(entity, WASTENOT_MACHINE, 0);
	case BUBBLE_PRIORITY:
		entity->priority = event->value;
		return 0;
	case BUBBLE_BURST_LEVEL:
		return set_burst_level(entity, event->holder);
	case BUBBLE_SLICE:
		entity->slice_ns = event->value;
		return 0;
	case BUBBLE_EXPECT:
		return 0;
	case BUBBLE_MOVE:
		return move(entity, event->holder, event->holder_id);
	case BUBBLE_BURST:
		return burst(entity);
	case BUBBLE_REGENERATE:
		return entity->burst ? 0 : -EINVAL;
	case BUBBLE_CLOSE:
		return take_back(entity);
	case BUBBLE_DESTROY:
		return destroy(tree, entity);
	default:
		return -EINVAL;
	}
}

static int is_for_threads(enum bubble_event_kind kind)
{
	return kind == BUBBLE_REMOVE || kind == BUBBLE_PRIORITY || kind == BUBBLE_EXPECT || kind == BUBBLE_MOVE;
}

int tree_apply(struct tree *tree, struct bubble_event *event)
{
	struct entity *entity = bubble_of(tree, event->bubble);

	if (!event->bubble && is_for_threads(event->kind))
		entity = known_thread(tree, event->tid);

	switch (event->kind) {
	case BUBBLE_INIT:
		return init(tree, event);
	case BUBBLE_ATTACH:
		return attach(tree, event->tid);
	case BUBBLE_INSERT_THREAD:
		return insert_thread(tree, bubble_of(tree, event->holder_id), event->tid);
	case BUBBLE_INSERT_BUBBLE:
		return insert(bubble_of(tree, event->holder_id), entity);
	default:
		return entity ? apply_to(tree, entity, event) : -ENOENT;
	}
}

struct dump_target {
	void (*record)(void *, const struct bubble_event *);
	void *context;
};

static void dump_event(const struct dump_target *to, const struct entity *e, struct bubble_event event)
{
	event.dump = 1;
	event.bubble = e->is_thread ? 0 : e->id;
	event.tid = e->is_thread ? (int32_t)e->id : 0;
	to->record(to->context, &event);
}

static void dump_entity(const struct dump_target *to, const struct entity *e)
{
	if (e->is_thread && !e->bubble)
		dump_event(to, e, (struct bubble_event){ .kind = BUBBLE_ATTACH });
	if (!e->is_thread)
		dump_event(to, e, (struct bubble_event){ .kind = BUBBLE_INIT, .name = e->name });
	if (e->bubble)
		dump_event(to, e,
			   (struct bubble_event){ .kind = e->is_thread ? BUBBLE_INSERT_THREAD : BUBBLE_INSERT_BUBBLE,
						  .holder = HOLDER_BUBBLE,
						  .holder_id = e->bubble->id });
	if (e->priority)
		dump_event(to, e, (struct bubble_event){ .kind = BUBBLE_PRIORITY, .value = e->priority });
	if (e->burst_level)
		dump_event(to, e, (struct bubble_event){ .kind = BUBBLE_BURST_LEVEL, .holder = e->burst_level });
	if (e->slice_ns)
		dump_event(to, e, (struct bubble_event){ .kind = BUBBLE_SLICE, .value = e->slice_ns });
}

/* Where it is, and that it has burst: what it holds is on that runqueue then, or has moved on. */
static void dump_place(const struct dump_target *to, const struct entity *e)
{
	if (e->queue_level)
		dump_event(to, e,
			   (struct bubble_event){
				   .kind = BUBBLE_MOVE, .holder = e->queue_level, .holder_id = e->queue_index });
	if (e->burst)
		dump_event(to, e, (struct bubble_event){ .kind = BUBBLE_BURST });
}

/* First what belongs to what, all closed; then what is where, outer bubbles first. */
static void dump_bubble(const struct dump_target *to, struct entity *outermost)
{
	for (struct entity *at = outermost; at; at = next_within(outermost, at))
		dump_entity(to, at);
	for (struct entity *at = outermost; at; at = next_within(outermost, at))
		dump_place(to, at);
}

static void dump_table(const struct dump_target *to, const struct table *table)
{
	for (size_t i = 0; i < table->size; i++) {
		struct entity *entity = table->slots[i].key ? table->slots[i].value : NULL;

		if (entity && !entity->bubble)
			dump_bubble(to, entity);
	}
}

void tree_dump(const struct tree *tree, void (*record)(void *, const struct bubble_event *), void *context)
{
	const struct dump_target to = { record, context };

	dump_table(&to, &tree->bubbles);
	dump_table(&to, &tree->threads);
}
