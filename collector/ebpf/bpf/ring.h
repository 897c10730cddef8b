/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A ring per CPU, in one mmap-able array. Only the CPU itself writes into its ring, so that no lock is needed: an
 * interrupt may write in the middle of another record, never another CPU. A record is committed by its first word,
 * which is written last; user space zeroes what it has read before it moves `tail`, so that a word that is not zero is
 * a complete record. No thread is woken: user space polls.
 *
 * Layout of an element: this header page, config.ring_mask + 1 bytes of records, a slack of 4,096 bytes for a record
 * that begins before the end of the ring and ends behind it.
 */
#ifndef WASTENOT_RING_H
#define WASTENOT_RING_H

#define RING_DATA 4096
#define RING_SLACK 4096
#define THROTTLED_SLOTS 16
/* Most threads of a queue checked when a group lost its quota. */
#define QUEUE_SCAN_MAX 32
#define COUNTERS_MAX 4

struct throttled_slot {
	u64 task;
	u64 tid;
};

/* What an attempt finds: enum balance_search_result, and of the threads that it examined how many it left, and why. */
struct balance_search {
	u64 loads_after; /* end of the rests that loads read so far cost */
	u16 result;
	s16 src_cpu;
	u16 examined;
	u16 not_allowed;
	u16 running;
	u16 hot;
	u16 preferred_llc; /* so many that prefer the cache `llc` */
	s16 llc;
};

/* What the CPU decides by as it is about to idle. */
struct newidle_start {
	u64 avg_idle;
	s16 level;
	u16 flags;
	u32 reserved;
};

/* A thread that a sched_ext scheduler puts somewhere, until its queue is known: address, time, enum ext_step. */
struct ext_enqueued {
	u64 task;
	u64 start;
	u64 step;
};

struct ring {
	/* written by the CPU */
	u64 head;
	u64 shortened_queue; /* CPU + 1 of a runqueue from which a thread was removed outside of a switch, 0 none */
	u64 irq_start;	     /* start of the open interval of interrupt work, 0 none */
	u64 irq_last;	     /* end of its last part */
	u64 irq_part[2];     /* start of the hard, soft part that runs */
	u64 irq_longest;
	u32 irq_depth;
	u32 irq_kinds; /* 1 hard, 2 soft */
	u32 irq_vector;
	u32 nr_running; /* of the CPU's runqueue + 1, 0 unknown; written by the CPU that changes it, under the
			   runqueue's lock */
	u64 drop_first;
	u64 drop_last;
	u64 drops[64];
	u64 counter_last[COUNTERS_MAX];
	u64 balance_start[2];
	u64 attempts;
	u64 queue;	     /* address of the CPU's struct rq */
	u32 dequeues;	     /* times its queue shrank since the last switch */
	u32 group_throttled; /* a group may have lost its quota since the last switch */
	struct throttled_slot throttled[THROTTLED_SLOTS];
	u64 in_placement;	     /* select_task_rq_fair runs on this CPU */
	u64 scanned[MASK_WORDS_MAX]; /* CPUs that it has asked whether they are idle */
	u64 irq_continues;	     /* a part of the interval of interrupt work has been written (black box) */
	u64 domains_first; /* since user space asked: when domains were built anew, the first and the last time; 0 never
			    */
	u64 domains_last;
	u64 domains; /* address of the smallest domain of the CPU + 1, 0 unknown; where functions cannot be probed */
	struct balance_search search; /* of the attempt over a domain that is under way */
	struct newidle_start newidle; /* of the search for work that is under way */
	struct ext_enqueued enqueued;
	u64 ext_search;	       /* when the CPU asked a sched_ext scheduler for a thread, while it does */
	u64 resched_requested; /* when the CPU, which idles, was asked to reschedule for a thread on its queue, 0 it was
			   not; written by the CPU that asks, under the runqueue's lock */
	u64 balance_softirq;   /* when the balancer's softirq began on the CPU, which idles, 0 it does not run */
	u64 reserving;	       /* a program of this CPU moves head (WITHOUT_FETCH) */
	/* written by user space */
	u64 tail __attribute__((aligned(2048)));
	u64 irq_taken; /* irq_start of the interval that user space has written itself */
	u32 on;	       /* records are wanted */
	u32 settled;   /* every thread has a thread record */
	u32 searches;  /* SEARCHES_GROUPS, SEARCHES_THREADS: what is recorded of that which attempts find */
};

_Static_assert(__builtin_offsetof(struct ring, tail) == 2048, "user space maps this");
_Static_assert(__builtin_offsetof(struct ring, drop_first) == 72, "user space maps this");
_Static_assert(__builtin_offsetof(struct ring, domains_first) == 1456, "user space maps this");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, RING_DATA + 65536 + RING_SLACK);
} rings SEC(".maps");

/* Of which events kernel stacks are recorded. Mirror: config.rs */
#define STACKS_MOVES 1
#define STACKS_WAKEUPS 2
#define STACKS_SWITCHES 4

/* Constants set before the programs are verified, so that disabled code is removed. Mirror: config.rs */
struct config {
	u64 ring_mask;	   /* bytes of a ring - 1 */
	u64 base_ns;	   /* time from which records count */
	u32 mask_words;	   /* words of a mask on this machine */
	u32 counter_count; /* counters read at each switch; counter i of CPU c has the index i * counter_stride + c */
	u32 counter_stride;
	u32 switch_state;  /* place of sched_switch's prev_state: 3 (6.0 and later), 1 (5.18), 0 none */
	u16 idle_types[4]; /* enum idle_type of the tables for the kernel's enum cpu_idle_type */
	u8 use_hash;	   /* no task storage, or one that allocates under the runqueue's lock (before bpf_mem_alloc) */
	u8 want_stacks;	   /* STACKS_MOVES, STACKS_WAKEUPS, STACKS_SWITCHES */
	u8 all_ext;	   /* a sched_ext scheduler runs all that is not real-time, whatever its policy */
	u8 want_scans;	   /* record the CPUs that placements scan */
	u8 watch_domains;  /* compare the CPU's domains at each change of its queue: functions cannot be probed */
	u8 want_searches;  /* record what attempts find that move no thread */
	u8 ext_task_arg;   /* place of the thread among the arguments of dispatch_enqueue */
	u8 ext_bypass_arg; /* of what is set among those of scx_bypass */
	u64 kick;	   /* address of nohz_csd_func, 0 unknown or not wanted */
	u64 queued_wakeup; /* address of sched_ttwu_pending, 0 unknown or not wanted */
	u64 hot_ns;	   /* a thread that ran in this time is cache-hot; ~0: every one that an attempt leaves without
			      another reason that is known */
	u32 read_queues;   /* no tracepoint of queue lengths (before 5.13): read them at switches */
	u32 has_sd_flag;   /* select_task_rq_fair has an argument sd_flag before wake_flags (before 5.11) */
	u64 tick_ns;	   /* of a jiffy, 0 unknown */
};

const volatile struct config config SEC(".rodata.config") = {.ring_mask = 65535, .mask_words = 1};

static __always_inline void note_domains_built(struct ring *ring)
{
	u64 now = bpf_ktime_get_ns();

	if (!READ_ONCE(ring->domains_first))
		WRITE_ONCE(ring->domains_first, now);
	WRITE_ONCE(ring->domains_last, now);
}

static __always_inline struct ring *ring_of(u32 cpu)
{
	return bpf_map_lookup_elem(&rings, &cpu);
}

static __always_inline struct ring *ring_here(void)
{
	struct ring *ring = ring_of(bpf_get_smp_processor_id());

	return ring && READ_ONCE(ring->on) ? ring : NULL;
}

static __noinline void count_drop(struct ring *ring, u32 kind)
{
	u64 now = bpf_ktime_get_ns() - config.base_ns;

	if (!READ_ONCE(ring->drop_first))
		WRITE_ONCE(ring->drop_first, now);
	ring->drop_last = now;
	__sync_fetch_and_add(&ring->drops[kind & 63], 1);
}

/*
 * Take `size` bytes of the ring, from *head on. eBPF before Linux 5.12 has no atomic addition that returns a value:
 * there a program that interrupts another one of its CPU between two lines of this function loses its record, which is
 * counted.
 */
static __always_inline bool take_room(struct ring *ring, u32 size, u32 kind, u64 *head)
{
#ifdef WITHOUT_FETCH
	if (unlikely(READ_ONCE(ring->reserving))) {
		count_drop(ring, kind);
		return false;
	}
	WRITE_ONCE(ring->reserving, 1);
	*head = READ_ONCE(ring->head);
	WRITE_ONCE(ring->head, *head + size);
	WRITE_ONCE(ring->reserving, 0);
#else
	*head = __sync_fetch_and_add(&ring->head, (u64)size);
#endif
	return true;
}

/* Reserve a record of `size` bytes (<= RING_SLACK, a multiple of 8); NULL when the ring is full. */
static __always_inline void *reserve(struct ring *ring, u32 size, u32 kind)
{
	u64 head = READ_ONCE(ring->head);

	if (unlikely(head + size + RING_SLACK > READ_ONCE(ring->tail) + config.ring_mask)) {
		count_drop(ring, kind);
		return NULL;
	}
	if (!take_room(ring, size, kind, &head))
		return NULL;
	return (void *)ring + RING_DATA + (head & config.ring_mask);
}

/* The same where interrupts are off, as in the scheduler under a runqueue's lock: no other record can come between. */
static __always_inline void *reserve_undisturbed(struct ring *ring, u32 size, u32 kind)
{
	u64 head = READ_ONCE(ring->head);

	if (unlikely(head + size + RING_SLACK > READ_ONCE(ring->tail) + config.ring_mask)) {
		count_drop(ring, kind);
		return NULL;
	}
#ifdef WITHOUT_FETCH
	if (!take_room(ring, size, kind, &head)) /* it may have interrupted that itself */
		return NULL;
#else
	WRITE_ONCE(ring->head, head + size);
#endif
	return (void *)ring + RING_DATA + (head & config.ring_mask);
}

static __always_inline void commit(void *record, u64 ts_ns, u32 kind)
{
	u64 word = (ts_ns - config.base_ns) << 8 | kind;

#if defined(__TARGET_ARCH_x86) || defined(WITHOUT_FETCH) /* see load.rs: offered on x86-64 alone */
	barrier();
	WRITE_ONCE(*(u64 *)record, word);
#else
	__sync_lock_test_and_set((u64 *)record, word);
#endif
}

#endif
