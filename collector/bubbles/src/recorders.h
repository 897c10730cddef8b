/* SPDX-License-Identifier: Apache-2.0 */
/* The tree's side of the recorders. Every function but recorders_any and recorders_watch is called with the tree locked. */
#ifndef WASTENOT_BUBBLE_RECORDERS_H
#define WASTENOT_BUBBLE_RECORDERS_H

#include "tree.h"

int recorders_any(void);

/* Tells the tree to recorders that record more than at the last look; a glance sees no more than whether anybody listens. */
void recorders_look(const struct tree *tree);
void recorders_glance(const struct tree *tree);

void recorders_tell(const struct bubble_event *event);

/* Starts a thread that calls `look` now and then. */
void recorders_watch(void (*look)(void));

#endif
