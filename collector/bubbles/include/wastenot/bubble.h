/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bubbles: groups of threads of an application that work together, declared by the application and recorded beside the
 * kernel's events.
 *
 * The vocabulary is that of Thibault, Namyst and Wacrenier, "Building Portable Thread Schedulers for Hierarchical
 * Multiprocessors: the BubbleSched Framework" (Euro-Par 2007): *entities* are threads and bubbles, *holders* are bubbles and
 * runqueues, an entity is in one holder at a time. A runqueue belongs to a component of the machine: all of it, a NUMA
 * node, a last-level cache, a core, a logical CPU.
 *
 * Every call changes a tree (in the process) and is passed to the active recorders: LTTng-UST when its library is
 * installed, Perfetto's SDK when asked for. Without an active recorder a call costs a few nanoseconds more than the tree.
 * Nothing here schedules: the kernel alone places threads.
 *
 * Functions return 0, or a negative errno and leave the tree unchanged; the event is recorded in both cases, with the
 * error, so that the trace shows what the application tried. All of them may be called from any thread.
 */
#ifndef WASTENOT_BUBBLE_H
#define WASTENOT_BUBBLE_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A bubble's identity, unique on the machine: the process that made it in the upper 32 bits, a number in the lower. */
typedef uint64_t wastenot_bubble_t;
#define WASTENOT_NO_BUBBLE ((wastenot_bubble_t)0)

/* Levels of the hierarchy of runqueues, from the whole machine to a logical CPU. ASIDE is a list that no CPU searches, where a
 * scheduler keeps entities that may not run now. The numbers are those of enum `holder` in the trace. */
enum wastenot_level {
	WASTENOT_MACHINE = 2,
	WASTENOT_NODE = 3,
	WASTENOT_PACKAGE = 4,
	WASTENOT_LLC = 5,
	WASTENOT_CORE = 6,
	WASTENOT_CPU = 7,
	WASTENOT_ASIDE = 8,
};

/* The runqueue of one component: `index` is the number that the kernel gives the component (node 2, CPU 5), 0 for the machine. */
struct wastenot_runqueue {
	enum wastenot_level level;
	uint32_t index;
};

/* A new, empty bubble, outside any holder. `name` is copied (at most 63 bytes are kept). WASTENOT_NO_BUBBLE when memory is
 * short, which is the only failure. */
wastenot_bubble_t wastenot_bubble_init(const char *name);

/* Puts a thread (by its tid, 0 the calling one) into the bubble. -ENOENT no such bubble, -EEXIST it is in another bubble. */
int wastenot_bubble_insert_thread(wastenot_bubble_t bubble, pid_t tid);

/* Puts `inner` into `bubble`. -ENOENT no such bubble, -EEXIST `inner` is in another one, -ELOOP it would hold itself,
 * -EBUSY it has burst. */
int wastenot_bubble_insert_bubble(wastenot_bubble_t bubble, wastenot_bubble_t inner);

/* Takes an entity out of its bubble. A thread is removed from the tree; remove it before it ends, since its tid may be reused. -ENOENT it is not in the tree, or is a bubble in no bubble. */
int wastenot_bubble_remove_thread(pid_t tid);
int wastenot_bubble_remove_bubble(wastenot_bubble_t inner);

/* Adds a thread (0 the calling one) without a bubble; it goes to the machine's runqueue. -EEXIST it is in the tree already. */
int wastenot_thread_attach(pid_t tid);

/* The bubble's content may run: it goes to the machine's runqueue, unless it is in a bubble or on a runqueue already. */
int wastenot_bubble_wake_up(wastenot_bubble_t bubble);

/* Integer priority: the highest runs first. 0 at the start. */
int wastenot_bubble_set_priority(wastenot_bubble_t bubble, int priority);
int wastenot_thread_set_priority(pid_t tid, int priority);

/* The time slice (ns) after which the scheduler visits the bubble again, and the CPU time (ns) that an entity is expected to need
 * from now on. */
int wastenot_bubble_set_slice(wastenot_bubble_t bubble, uint64_t slice_ns);
int wastenot_bubble_expect(wastenot_bubble_t bubble, uint64_t cpu_ns);
int wastenot_thread_expect(pid_t tid, uint64_t cpu_ns);

/* The level at which the bubble is to burst. -EINVAL not a level of the machine. */
int wastenot_bubble_set_burst_level(wastenot_bubble_t bubble, enum wastenot_level level);

/* Records that a bubble or a thread now is on a runqueue. -EBUSY it is inside a closed bubble. */
int wastenot_bubble_move(wastenot_bubble_t bubble, struct wastenot_runqueue to);
int wastenot_thread_move(pid_t tid, struct wastenot_runqueue to);

/* The bubble releases its content onto the runqueue that it is on. -EINVAL it is on none or has burst already. */
int wastenot_bubble_burst(wastenot_bubble_t bubble);

/* The bubble starts to take back what it released; threads come back one by one. -EINVAL it has not burst. */
int wastenot_bubble_regenerate(wastenot_bubble_t bubble);

/* All that was released is back inside, bubbles that had burst in it are closed as well. -EINVAL it has not burst. */
int wastenot_bubble_close(wastenot_bubble_t bubble);

/* The bubble ends; its content goes to the bubble's place, and belongs to no bubble. */
int wastenot_bubble_destroy(wastenot_bubble_t bubble);

/* Number of bubbles and threads in the tree of this process; for tests. */
void wastenot_bubble_count(uint32_t *bubbles, uint32_t *threads);

/* Records the whole tree, as events with `dump` = 1. Happens automatically when a recorder attaches. */
void wastenot_bubble_dump(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
