/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The records that the programs write; schemas/records.toml declares and documents them. `word` is the time since
 * base_ns in nanoseconds, shifted left by 8, and the kind in the low byte. An affinity or thread record is followed by
 * `words` 64-bit words for each bit of masks (1 allowed, 2 user, 4 cpuset), a cpus_scanned record by `words` of them:
 * the CPUs that were asked whether they are idle.
 */
#ifndef WASTENOT_RECORDS_H
#define WASTENOT_RECORDS_H

#include "record_structs.h"

/* flags of fork and thread records */
#define FLAG_KERNEL 1
#define FLAG_PER_CPU 2
#define FLAG_MIGRATION_DISABLED 4
#define FLAG_THROTTLED 8

enum { QUEUE_RUNNING, QUEUE_QUEUED, QUEUE_OFF };

enum { KICK_SENT, KICK_SOFTIRQ, KICK_TO_BALANCE, KICK_FOR_LOADS };

/* Of which event a kernel stack is: enum stack_event of the tables. */
enum { STACK_OF_SWITCH, STACK_OF_WAKING, STACK_OF_WAKEUP };

/* prev_state of a switch record */
#define STATE_BITS 0x1fffffU
#define NR_RUNNING_SHIFT 21 /* nr_running + 1, 0 unknown */
#define NR_RUNNING_MAX 0x3ffU
#define PREEMPTED 0x80000000U

/* cpu of a waking record that was written when the wakeup was queued to another CPU */
#define CPU_UNKNOWN 0xffff

#endif
