/* SPDX-License-Identifier: Apache-2.0 */
/* The tree by itself: what each call does, what is refused, and that a dump builds the same tree again. */
#include "../src/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;

#define CHECK(what)                                                                                                    \
	do {                                                                                                           \
		checks++;                                                                                              \
		if (!(what)) {                                                                                         \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                     \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

static int apply(struct tree *tree, struct bubble_event event)
{
	return tree_apply(tree, &event);
}

static uint64_t make(struct tree *tree, const char *name)
{
	struct bubble_event event = { .kind = BUBBLE_INIT, .name = name };

	CHECK(tree_apply(tree, &event) == 0);
	return event.bubble;
}

#define DO(...) apply(&tree, (struct bubble_event){ __VA_ARGS__ })
#define INTO(b) .holder = HOLDER_BUBBLE, .holder_id = (b)

static struct entity *bubble(struct tree *tree, uint64_t id)
{
	return table_find(&tree->bubbles, id);
}

static struct entity *thread(struct tree *tree, int tid)
{
	return table_find(&tree->threads, (uint64_t)tid);
}

static void life_of_a_bubble(void)
{
	struct tree tree = { 0 };
	uint64_t outer = make(&tree, "outer"), inner = make(&tree, "inner");

	CHECK(outer != inner && outer >> 32 == inner >> 32);
	CHECK(DO(.kind = BUBBLE_INSERT_BUBBLE, .bubble = inner, INTO(outer)) == 0);
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = 11, INTO(inner)) == 0);
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = 12, INTO(outer)) == 0);
	CHECK(DO(.kind = BUBBLE_BURST, .bubble = outer) == -EINVAL); /* on no runqueue */
	CHECK(DO(.kind = BUBBLE_WAKE, .bubble = outer) == 0);
	CHECK(bubble(&tree, outer)->queue_level == WASTENOT_MACHINE);
	CHECK(DO(.kind = BUBBLE_MOVE, .bubble = outer, .holder = WASTENOT_NODE, .holder_id = 1) == 0);
	CHECK(DO(.kind = BUBBLE_BURST, .bubble = outer) == 0);
	CHECK(DO(.kind = BUBBLE_BURST, .bubble = outer) == -EINVAL);
	CHECK(thread(&tree, 12)->queue_level == WASTENOT_NODE && thread(&tree, 12)->queue_index == 1);
	CHECK(bubble(&tree, inner)->queue_level == WASTENOT_NODE);
	CHECK(thread(&tree, 11)->queue_level == 0); /* inner is closed and keeps it */
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = 13, INTO(outer)) == 0);
	CHECK(thread(&tree, 13)->queue_level == WASTENOT_NODE); /* released at once */
	CHECK(DO(.kind = BUBBLE_REGENERATE, .bubble = outer) == 0);
	CHECK(DO(.kind = BUBBLE_CLOSE, .bubble = outer) == 0);
	CHECK(DO(.kind = BUBBLE_CLOSE, .bubble = outer) == -EINVAL);
	CHECK(thread(&tree, 12)->queue_level == 0 && thread(&tree, 12)->bubble == bubble(&tree, outer));
	CHECK(DO(.kind = BUBBLE_DESTROY, .bubble = outer) == 0);
	CHECK(!bubble(&tree, outer) && !bubble(&tree, inner)->bubble);
	CHECK(thread(&tree, 12)->queue_level == WASTENOT_NODE); /* what it held goes to what held it */
	CHECK(thread(&tree, 11)->bubble == bubble(&tree, inner));
}

static void refused(void)
{
	struct tree tree = { 0 };
	uint64_t a = make(&tree, "a"), b = make(&tree, "b"), c = make(&tree, "c");

	CHECK(DO(.kind = BUBBLE_INSERT_BUBBLE, .bubble = b, INTO(a)) == 0);
	CHECK(DO(.kind = BUBBLE_INSERT_BUBBLE, .bubble = c, INTO(b)) == 0);
	CHECK(DO(.kind = BUBBLE_INSERT_BUBBLE, .bubble = a, INTO(c)) == -ELOOP);
	CHECK(DO(.kind = BUBBLE_INSERT_BUBBLE, .bubble = a, INTO(a)) == -ELOOP);
	CHECK(DO(.kind = BUBBLE_INSERT_BUBBLE, .bubble = c, INTO(a)) == -EEXIST);
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = 5, INTO(a)) == 0);
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = 5, INTO(b)) == -EEXIST);
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = 0, INTO(b)) == -EINVAL);
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = -3, INTO(b)) == -EINVAL);
	CHECK(DO(.kind = BUBBLE_ATTACH, .tid = 5) == -EEXIST);
	CHECK(DO(.kind = BUBBLE_ATTACH, .tid = 6) == 0);
	CHECK(DO(.kind = BUBBLE_MOVE, .bubble = a, .holder = 99) == -EINVAL);
	CHECK(DO(.kind = BUBBLE_BURST_LEVEL, .bubble = a, .holder = WASTENOT_ASIDE) == -EINVAL);
	CHECK(DO(.kind = BUBBLE_MOVE, .tid = 7, .holder = WASTENOT_CPU) == -ENOENT);
	CHECK(DO(.kind = BUBBLE_REMOVE, .bubble = a) == -ENOENT);
	CHECK(DO(.kind = BUBBLE_DESTROY, .bubble = b) == 0);
	CHECK(DO(.kind = BUBBLE_DESTROY, .bubble = b) == -ENOENT);
	CHECK(DO(.kind = BUBBLE_INSERT_THREAD, .tid = 8, INTO(b)) == -ENOENT);
	CHECK(DO(.kind = BUBBLE_REMOVE, .tid = 5) == 0 && !thread(&tree, 5));
	CHECK(tree.bubbles.used == 2 && tree.threads.used == 1 && thread(&tree, 6)->queue_level == WASTENOT_MACHINE);
}

/* Takes what a dump tells into another tree, where bubbles get other numbers. */
struct copy {
	struct tree tree;
	struct table number; /* here, as a pointer, by number there */
};

static void take(void *context, const struct bubble_event *event)
{
	struct copy *copy = context;
	struct bubble_event here = *event;

	CHECK(event->dump);
	if (event->bubble && event->kind != BUBBLE_INIT)
		here.bubble = (uint64_t)(uintptr_t)table_find(&copy->number, event->bubble);
	if (event->holder == HOLDER_BUBBLE)
		here.holder_id = (uint64_t)(uintptr_t)table_find(&copy->number, event->holder_id);
	CHECK(tree_apply(&copy->tree, &here) == 0);
	if (event->kind == BUBBLE_INIT)
		CHECK(table_put(&copy->number, event->bubble, (void *)(uintptr_t)here.bubble) == 0);
}

static void same(const struct copy *copy, const struct entity *there)
{
	uint64_t id = there->is_thread ? there->id : (uint64_t)(uintptr_t)table_find(&copy->number, there->id);
	const struct entity *here = table_find(there->is_thread ? &copy->tree.threads : &copy->tree.bubbles, id);

	CHECK(here);
	CHECK(here->burst == there->burst && here->priority == there->priority && here->slice_ns == there->slice_ns);
	CHECK(here->queue_level == there->queue_level && here->burst_level == there->burst_level);
	CHECK(!there->queue_level || here->queue_index == there->queue_index);
	CHECK(!here->bubble == !there->bubble && strcmp(here->name, there->name) == 0);
	if (there->bubble)
		CHECK((uint64_t)(uintptr_t)table_find(&copy->number, there->bubble->id) == here->bubble->id);
}

static uint64_t any(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*seed >> 33) % below;
}

/* Random calls, sensible and not: the tree stays whole, and what is dumped is the tree. */
static void dumped(uint64_t seed)
{
	struct tree tree = { 0 };
	struct copy copy = { 0 };
	uint64_t bubbles[24];

	for (int i = 0; i < 24; i++)
		bubbles[i] = make(&tree, "some");
	for (int i = 0; i < 2000; i++) {
		struct bubble_event e = { .kind = 1 + any(&seed, BUBBLE_DESTROY), .name = "" };
		int of_bubble = any(&seed, 2);

		if (e.kind == BUBBLE_DESTROY && any(&seed, 4))
			continue;
		if (e.kind == BUBBLE_INSERT_THREAD || e.kind == BUBBLE_ATTACH)
			of_bubble = 0;
		e.bubble = of_bubble ? bubbles[any(&seed, 24)] : 0;
		e.tid = of_bubble ? 0 : (int32_t)any(&seed, 12);
		e.holder = e.kind == BUBBLE_INSERT_THREAD || e.kind == BUBBLE_INSERT_BUBBLE ? HOLDER_BUBBLE
											    : any(&seed, 10);
		e.holder_id = e.holder == HOLDER_BUBBLE ? bubbles[any(&seed, 24)] : any(&seed, 4);
		e.value = (int64_t)any(&seed, 5);
		tree_apply(&tree, &e);
	}
	tree_dump(&tree, take, &copy);
	CHECK(copy.tree.bubbles.used == tree.bubbles.used && copy.tree.threads.used == tree.threads.used);
	for (size_t i = 0; i < tree.bubbles.size; i++)
		if (tree.bubbles.slots[i].key)
			same(&copy, tree.bubbles.slots[i].value);
	for (size_t i = 0; i < tree.threads.size; i++)
		if (tree.threads.slots[i].key)
			same(&copy, tree.threads.slots[i].value);
}

static void deep(void)
{
	struct tree tree = { 0 };
	struct copy copy = { 0 };
	uint64_t outer = make(&tree, "0");

	/* Built from the inside, so that the search for a loop stays short. */
	for (int i = 0; i < 20000; i++) {
		uint64_t around = make(&tree, "n");

		CHECK(DO(.kind = BUBBLE_INSERT_BUBBLE, .bubble = outer, INTO(around)) == 0);
		outer = around;
	}
	(void)copy;
	CHECK(tree.bubbles.used == 20001);
}

int main(void)
{
	life_of_a_bubble();
	refused();
	for (uint64_t seed = 1; seed <= 200; seed++)
		dumped(seed);
	deep();
	printf("tree: %d checks passed\n", checks);
	return 0;
}
