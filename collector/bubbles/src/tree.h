/* SPDX-License-Identifier: Apache-2.0 */
/* The bubbles and threads of this process and their holders. Not thread-safe: bubble.c locks. */
#ifndef WASTENOT_BUBBLE_TREE_H
#define WASTENOT_BUBBLE_TREE_H

#include "../include/wastenot/bubble.h"
#include "event.h"
#include "table.h"

#define NAME_BYTES 64

struct entity {
	struct entity *bubble; /* the bubble it belongs to, whether that has burst or not; NULL none */
	struct entity *first;  /* its content; NULL for threads */
	struct entity *next, *previous;
	uint64_t id; /* bubble, or tid */
	uint64_t queue_index;
	int64_t priority, slice_ns;
	uint8_t queue_level; /* enum wastenot_level, 0: on no runqueue */
	uint8_t burst_level; /* 0: not set */
	uint8_t is_thread, burst;
	char name[NAME_BYTES];
};

struct tree {
	struct table bubbles, threads;
	uint32_t made; /* bubbles ever made by this process */
};

/* Applies an event; fills in what the tree decides (the new bubble's id). 0 or a negative errno, then nothing changed. */
int tree_apply(struct tree *tree, struct bubble_event *event);

/* Every bubble and thread as events that would build the same tree, outer bubbles before their content. */
void tree_dump(const struct tree *tree, void (*record)(void *, const struct bubble_event *), void *context);

#endif
