/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the sentinel keeps from look to look, and what user space reads of it. Mirror: watch/sentinel_view.rs */
#ifndef WASTENOT_SENTINEL_H
#define WASTENOT_SENTINEL_H

/* Most threads of a queue that are followed, the longest waiting first. A power of two. */
#define THREADS_MAX 8
/* Words of the sets of CPUs: 1,024 CPUs. A power of two. */
#define CPU_WORDS 16
/* Most hits kept for user space. A power of two. */
#define HITS_MAX 64
#define NO_CPU 0xffffffffU
#define TASK_ON_RQ_QUEUED 1
#define CLOCK_MONOTONIC 1

/* A thread on a CPU's queue. */
struct runnable {
	u64 task;
	u64 sleeps; /* voluntary switches */
	u64 migrations;
	u64 run_ns;
	u64 runnable_ns; /* runnable on this CPU without a break since then */
	u64 waiting_ns;	 /* waiting without a break since then; 0 runs */
	s32 tid;	 /* 0: the place is free */
	u32 reserved;
};

/* A CPU at the last look. */
struct cpu_look {
	u64 looks;
	u64 looks_idle;
	u64 idle_ns; /* idle without a break since then, 0 not idle */
	u64 switches;
	u32 nr_running;
	u32 longest_queue;
	u32 online;
	u32 flip;    /* which half of threads the last look filled */
	u64 hit;     /* number of the present hit, 0 none */
	u64 read_ns; /* time of the look that read the threads */
	u64 rq;	     /* address of its runqueue, 0 unknown */
	struct runnable threads[2][THREADS_MAX];
};

/* A violation that lasted for hit_ns. */
struct hit {
	u64 number; /* from 1; 0 while it is written */
	u64 seen_ns;
	u64 start_ns;
	u64 age_ns;
	s32 tid; /* a thread that waited when it was seen */
	u32 idle_cpu;
	u32 cpu;
	u32 reserved;
	char comm[COMM_LEN];
};

struct sentinel {
	/* set by user space */
	u64 look_ns;
	u64 hit_ns;
	u32 cpus;
	u32 words;
	u32 stop;
	u32 had_pairs;
	/* counted */
	u64 looks;
	u64 missed;
	u64 looks_with_waste;
	u64 sampled_ns; /* CPUs idle beside a waiting thread at a look, times the time since the look before */
	u64 certain_ns; /* of it, what lasted without a break since the look before */
	u64 longest_ns; /* age of the longest violation at the last look, 0 none */
	u64 hits;
	u64 last_ns; /* time of the last look */
	u64 own_ns;  /* time that the looks took */
	/* of the look that runs */
	u64 now;
	u64 passed; /* since the look before */
	u64 longest_now;
	u32 idle_now;
	u32 overloaded_now;
	u32 pairs;
	u32 reserved;
	u64 isolated[CPU_WORDS]; /* set by user space: CPUs that the load balancer does not use */
	u64 idle[CPU_WORDS];
	u64 idle_long[CPU_WORDS]; /* for hit_ns already */
	struct hit recent[HITS_MAX];
};

_Static_assert(sizeof(struct cpu_look) == 968, "user space maps this");
_Static_assert(__builtin_offsetof(struct sentinel, isolated) == 144, "user space maps this");
_Static_assert(sizeof(struct sentinel) == 4624, "user space maps this");

#endif
