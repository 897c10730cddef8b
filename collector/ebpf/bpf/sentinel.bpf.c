/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The sentinel: looks at all runqueues from a timer. It needs no tracepoint and slows no switch down; what it sees is a
 * sample, except for what the kernel's own counts prove:
 *
 * - a CPU that runs swapper at two looks with the same rq.nr_switches ran swapper all the time between them;
 * - a thread on a CPU's queue at two looks with the same count of voluntary switches and of migrations was runnable on
 *   that CPU all the time, and with the same run time it waited all the time.
 *
 * So an idle CPU beside a queue with two threads that may run on the idle CPU, or with one that waits, is a violation
 * without a break between the looks, whichever of the threads ran. (A quota that is used up and refilled between two
 * looks is not seen.) The time of a look is taken before it reads anything: up to then what an earlier look found has
 * lasted. What a look finds first has been so since a time taken after it was read.
 */
#include "kernel.h"
#include "sentinel.h"

struct timer_value {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct timer_value);
} timers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu_look);
} looks SEC(".maps");

volatile struct sentinel sentinel SEC(".data.sentinel") = {};

static __always_inline struct cpu_look *look_of(u32 cpu)
{
	return bpf_map_lookup_elem(&looks, &cpu);
}

/* Without a branch: the verifier follows each. */
static __always_inline u32 lowest_bit(u64 word)
{
	u64 below = (word & -word) - 1;

	below -= below >> 1 & 0x5555555555555555ULL;
	below = (below & 0x3333333333333333ULL) + (below >> 2 & 0x3333333333333333ULL);
	below = (below + (below >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return below * 0x0101010101010101ULL >> 56;
}

static __always_inline u64 mask_word(struct task_struct *p, u32 word)
{
	u64 bits = 0;

	bpf_probe_read_kernel(&bits, sizeof(bits),
			      (void *)__builtin_preserve_access_index(&p->cpus_mask.bits) + word * 8);
	return bits;
}

/* An idle CPU, not paired yet, on which the thread may run, preferably one that has idled for long; NO_CPU without one.
 */
__noinline u32 idle_cpu_for(u64 task)
{
	u32 words = sentinel.words, found = NO_CPU;

	for (u32 word = 0; word < CPU_WORDS && word < words; word++) {
		u64 allowed, bits;

		if (!sentinel.idle[word])
			continue;
		allowed = mask_word((void *)task, word) & sentinel.idle[word];
		bits = allowed & sentinel.idle_long[word];
		if (bits)
			return word * 64 + lowest_bit(bits);
		if (allowed && found == NO_CPU)
			found = word * 64 + lowest_bit(allowed);
	}
	return found;
}

/* Whether an idle CPU in its mask may not take the thread for another reason. */
static __always_inline bool is_excused(struct task_struct *p)
{
	struct task_struct___from_5_10 *disabling = (void *)p;
	struct task_struct___core_sched *cookie = (void *)p;
	struct task_struct___from_6_18 *quota = (void *)p;

	if (READ(p, policy) == SCHED_EXT)
		return true;
	if (field_exists(struct task_struct___from_5_10, migration_disabled) && READ(disabling, migration_disabled))
		return true;
	if (field_exists(struct task_struct___core_sched, core_cookie) && READ(cookie, core_cookie))
		return true;
	if (field_exists(struct task_struct___from_6_18, throttled))
		return READ(quota, throttled);
	if (field_exists(struct sched_entity, cfs_rq) && field_exists(struct cfs_rq, throttle_count)) {
		struct cfs_rq *queue = READ(p, se.cfs_rq);

		return queue && READ(queue, throttle_count) > 0;
	}
	return false;
}

/* Runnable on this CPU: the lists are read without a lock, and a thread that sleeps may stay on its queue for a while.
 */
static __always_inline bool is_runnable_on(struct task_struct *p, u32 cpu)
{
	struct task_struct___cpu_in_task *q = (void *)p;
	u32 of_thread = field_exists(struct thread_info, cpu) ? READ(p, thread_info.cpu) : READ(q, cpu);

	if (of_thread != cpu || READ(p, on_rq) != TASK_ON_RQ_QUEUED)
		return false;
	return !sleeps_queued(p);
}

/* Keep a thread that is on the queue now in place `at`, with what the previous look knew of it. */
__noinline int follow(u32 cpu, u64 task, u32 at)
{
	struct cpu_look *here = look_of(cpu);
	struct task_struct *p = (void *)task, *current;
	struct runnable *thread, *before;
	struct rq *rq;

	if (!here)
		return 0;
	rq = (void *)here->rq;
	current = READ(rq, curr);
	before = here->threads[here->flip & 1];
	thread = &here->threads[(here->flip & 1) ^ 1][at & (THREADS_MAX - 1)];
	thread->task = task;
	thread->tid = READ(p, pid);
	thread->sleeps = READ(p, nvcsw);
	thread->migrations = READ(p, se.nr_migrations);
	thread->run_ns = READ(p, se.sum_exec_runtime);
	thread->runnable_ns = 0;
	thread->waiting_ns = 0;
	for (u32 i = 0; i < THREADS_MAX; i++) {
		struct runnable *old = &before[i];

		if (here->read_ns != sentinel.last_ns || old->tid != thread->tid || old->task != thread->task ||
		    old->sleeps != thread->sleeps || old->migrations != thread->migrations)
			continue;
		thread->runnable_ns = old->runnable_ns;
		if (p != current && old->run_ns == thread->run_ns)
			thread->waiting_ns = old->waiting_ns;
		break;
	}
	if (!thread->runnable_ns)
		thread->runnable_ns = bpf_ktime_get_ns();
	if (!thread->waiting_ns && p != current)
		thread->waiting_ns = bpf_ktime_get_ns();
	return 0;
}

/* Read the threads of a queue, those that have not run for longest first (rq.cfs_tasks is in the order of running). */
__noinline u32 read_queue(u32 cpu)
{
	struct cpu_look *here = look_of(cpu);
	struct list_head *head, *entry;
	struct runnable *threads;
	struct rq *rq;
	u32 count = 0;

	if (!here)
		return 0;
	rq = (void *)here->rq;
	head = (void *)__builtin_preserve_access_index(&rq->cfs_tasks);
	entry = READ(head, prev);
	for (u32 i = 0; i < 2 * THREADS_MAX && count < THREADS_MAX; i++) {
		struct task_struct *p;

		if (!entry || entry == head)
			break;
		p = (void *)entry - field_offset(struct task_struct, se.group_node);
		if (is_runnable_on(p, cpu) && !is_excused(p)) {
			follow(cpu, (u64)p, count);
			count++;
		}
		entry = READ(entry, prev);
	}
	here->flip = (here->flip & 1) ^ 1;
	here->read_ns = sentinel.now;
	threads = here->threads[here->flip & 1];
	for (u32 i = 0; i < THREADS_MAX; i++)
		if (i >= count)
			threads[i].tid = 0;
	return count;
}

/*
 * Since when, without a break, a thread that may run on the idle CPU has waited on this queue: one thread all the time,
 * or one of two that were both runnable all the time.
 */
__noinline u64 waited_since(u32 cpu, u32 idle)
{
	struct cpu_look *here = look_of(cpu);
	u64 first = sentinel.now, second = first, waiting = first;

	if (!here)
		return first;
	for (u32 i = 0; i < THREADS_MAX; i++) {
		struct runnable *thread = &here->threads[here->flip & 1][i];

		if (!thread->tid || !(mask_word((void *)thread->task, idle / 64) >> (idle & 63) & 1))
			continue;
		if (thread->waiting_ns && thread->waiting_ns < waiting)
			waiting = thread->waiting_ns;
		if (thread->runnable_ns < first) {
			second = first;
			first = thread->runnable_ns;
		} else if (thread->runnable_ns < second) {
			second = thread->runnable_ns;
		}
	}
	return waiting < second ? waiting : second;
}

__noinline int write_hit(u32 cpu, u64 task, u32 idle, u64 since)
{
	struct cpu_look *here = look_of(cpu);
	struct task_struct *p = (void *)task;
	volatile struct hit *hit;

	if (!here)
		return 0;
	if (here->hit) {
		hit = &sentinel.recent[here->hit & (HITS_MAX - 1)];
		if (hit->number == here->hit)
			hit->age_ns = sentinel.now - hit->start_ns;
		return 0;
	}
	here->hit = ++sentinel.hits;
	hit = &sentinel.recent[here->hit & (HITS_MAX - 1)];
	hit->number = 0;
	hit->seen_ns = sentinel.now;
	hit->start_ns = since;
	hit->age_ns = sentinel.now - since;
	hit->tid = READ(p, pid);
	hit->idle_cpu = idle;
	hit->cpu = cpu;
	bpf_probe_read_kernel((void *)hit->comm, COMM_LEN, __builtin_preserve_access_index(&p->comm));
	hit->number = here->hit;
	return 0;
}

/* Pair one waiting thread of a queue with an idle CPU. Returns how long, without a break, this has been so. */
__noinline u64 pair(u32 cpu, u64 task)
{
	u32 idle = idle_cpu_for(task);
	struct cpu_look *other;
	u64 since, age;

	if (idle == NO_CPU)
		return 0;
	other = look_of(idle);
	if (!other || !other->idle_ns)
		return 0;
	sentinel.idle[(idle / 64) & (CPU_WORDS - 1)] &= ~(1ULL << (idle & 63));
	sentinel.pairs++;
	since = waited_since(cpu, idle);
	if (since < other->idle_ns)
		since = other->idle_ns;
	age = since < sentinel.now ? sentinel.now - since : 0;
	sentinel.certain_ns += age < sentinel.passed ? age : sentinel.passed;
	if (age >= sentinel.hit_ns)
		write_hit(cpu, task, idle, since);
	return age;
}

/* Pair each waiting thread of a queue with an idle CPU. */
__noinline int pair_all(u32 cpu)
{
	struct cpu_look *here = look_of(cpu);
	u64 longest = 0;

	if (!here)
		return 0;
	for (u32 i = 0; i < THREADS_MAX; i++) {
		struct runnable *thread = &here->threads[here->flip & 1][i];
		u64 age;

		if (!thread->tid || !thread->waiting_ns)
			continue;
		age = pair(cpu, thread->task);
		if (age > longest)
			longest = age;
	}
	if (longest < sentinel.hit_ns)
		here->hit = 0;
	if (longest > sentinel.longest_now)
		sentinel.longest_now = longest;
	return 0;
}

/* First pass: which CPUs are idle, and how long the queues are. */
static long look_at_cpu(u32 cpu, void *unused)
{
	struct cpu_look *here = look_of(cpu);
	u32 word = (cpu / 64) & (CPU_WORDS - 1);
	struct rq___ttwu_pending *pending;
	u64 switches, bit = 1ULL << (cpu & 63);
	struct rq *rq;
	bool idle;

	if (!here || !here->rq || cpu / 64 >= CPU_WORDS)
		return 0;
	rq = (void *)here->rq;
	pending = (void *)rq;
	here->online = READ(rq, online);
	here->nr_running = READ(rq, nr_running);
	if (here->nr_running > here->longest_queue)
		here->longest_queue = here->nr_running;
	switches = READ(rq, nr_switches);
	idle = here->online && !here->nr_running && READ(rq, curr) == READ(rq, idle);
	if (field_exists(struct rq___ttwu_pending, ttwu_pending) && idle)
		idle = !READ(pending, ttwu_pending);
	if (!idle)
		here->idle_ns = 0;
	else if (!here->idle_ns || switches != here->switches)
		here->idle_ns = bpf_ktime_get_ns();
	here->switches = switches;
	here->looks++;
	if (!idle) {
		if (here->nr_running >= 2)
			sentinel.overloaded_now++;
		else
			here->hit = 0;
		return 0;
	}
	here->hit = 0;
	here->looks_idle++;
	if (sentinel.isolated[word] & bit)
		return 0;
	sentinel.idle[word] |= bit;
	if (here->idle_ns + sentinel.hit_ns <= sentinel.now)
		sentinel.idle_long[word] |= bit;
	sentinel.idle_now++;
	return 0;
}

/* Second pass, only with idle and overloaded CPUs: the threads of the overloaded ones. */
static long look_at_queue(u32 cpu, void *unused)
{
	struct cpu_look *here = look_of(cpu);

	if (!here || here->nr_running < 2)
		return 0;
	if (read_queue(cpu))
		pair_all(cpu);
	else
		here->hit = 0;
	return 0;
}

/* No CPU is idle, or none is overloaded: what was violated is so no more. */
static long end_hit(u32 cpu, void *unused)
{
	struct cpu_look *here = look_of(cpu);

	if (here)
		here->hit = 0;
	return 0;
}

static __noinline int look(void)
{
	u64 passed, period = sentinel.look_ns;

	sentinel.now = bpf_ktime_get_ns();
	passed = sentinel.last_ns ? sentinel.now - sentinel.last_ns : 0;
	sentinel.passed = passed;
	if (passed > 2 * period && period)
		sentinel.missed += passed / period - 1;
	for (u32 i = 0; i < CPU_WORDS; i++) {
		sentinel.idle[i] = 0;
		sentinel.idle_long[i] = 0;
	}
	sentinel.pairs = 0;
	sentinel.longest_now = 0;
	sentinel.idle_now = 0;
	sentinel.overloaded_now = 0;
	bpf_loop(sentinel.cpus, look_at_cpu, NULL, 0);
	if (sentinel.idle_now && sentinel.overloaded_now) {
		bpf_loop(sentinel.cpus, look_at_queue, NULL, 0);
		sentinel.had_pairs = 1;
	} else if (sentinel.had_pairs) {
		bpf_loop(sentinel.cpus, end_hit, NULL, 0);
		sentinel.had_pairs = 0;
	}
	if (sentinel.pairs)
		sentinel.looks_with_waste++;
	sentinel.sampled_ns += sentinel.pairs * passed;
	sentinel.longest_ns = sentinel.longest_now;
	sentinel.last_ns = sentinel.now;
	sentinel.looks++;
	sentinel.own_ns += bpf_ktime_get_ns() - sentinel.now;
	return 0;
}

/* The addresses of the runqueues, from the threads that are on them. Kernel threads of one CPU show those of idle CPUs.
 */
SEC("iter/task")
int find_queues(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	struct cpu_look *here;
	struct cfs_rq *queue;
	struct rq *rq;

	if (!p)
		return 0;
	queue = READ(p, se.cfs_rq);
	rq = queue ? READ(queue, rq) : NULL;
	if (!rq)
		return 0;
	here = look_of(READ(rq, cpu));
	if (here)
		here->rq = (u64)rq;
	return 0;
}

static int on_timer(void *map, u32 *key, struct timer_value *value)
{
	look();
	if (!sentinel.stop)
		bpf_timer_start(&value->timer, sentinel.look_ns, 0);
	return 0;
}

/* Started by user space with BPF_PROG_TEST_RUN. */
SEC("syscall")
int start_timer(void *ctx)
{
	u32 zero = 0;
	struct timer_value *value = bpf_map_lookup_elem(&timers, &zero);

	if (!value)
		return 1;
	if (bpf_timer_init(&value->timer, &timers, CLOCK_MONOTONIC))
		return 2;
	if (bpf_timer_set_callback(&value->timer, on_timer))
		return 3;
	return bpf_timer_start(&value->timer, sentinel.look_ns, 0) ? 4 : 0;
}

/* Where programs may own no timer: a software clock of one CPU. */
SEC("perf_event")
int on_clock(void *ctx)
{
	look();
	return 0;
}

char licence[] SEC("license") = "Dual BSD/GPL";
