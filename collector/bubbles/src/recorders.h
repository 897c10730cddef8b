/* SPDX-License-Identifier: Apache-2.0 */
/* The tree's side of the recorders. Every function but recorders_any and recorders_watch is called with the tree locked. */
#ifndef WASTENOT_BUBBLE_RECORDERS_H
#define WASTENOT_BUBBLE_RECORDERS_H

#include "tree.h"

int recorders_any(void);

/* Passes the tree to recorders that record more kinds than at the last poll; recorders_check() polls only if one started or
 * stopped listening. */
void recorders_poll(const struct tree *tree);
void recorders_check(const struct tree *tree);

void recorders_record(const struct bubble_event *event);

/* Starts a thread that calls `poll` every 50 ms. */
void recorders_watch(void (*poll)(void));

#endif
