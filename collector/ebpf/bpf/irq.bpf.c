/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Interrupt work. Parts within 5 us of each other (on a CPU that runs a thread, which runs meanwhile: 1 us, so that
 * only a handler and its softirqs are joined) are one interval; intervals longer than 20 us are recorded. An interval
 * is written by the first part after a gap, by a switch, by user space after a millisecond without another part, and in
 * pieces of 10 ms, so that no record is written long after its time.
 *
 * In a black box user space closes no interval: it is written, from IRQ_MIN_NS on, at the end of each of its parts, as
 * intervals that follow each other without a gap.
 *
 * The balancer's softirq on CPUs that run swapper, of any length, and the kicks that raise it are records of their own.
 */

#define IRQ_GAP_NS 5000
#define IRQ_GAP_BUSY_NS 1000
#define IRQ_MIN_NS 20000
#define IRQ_PIECE_NS 10000000
#define SCHED_SOFTIRQ 7

static __always_inline bool runs_swapper(void)
{
	return bpf_get_current_pid_tgid() == 0;
}

/* A thread may be replaced inside softirqs (PREEMPT_RT), so that entries and exits would not stay paired. */
static __always_inline bool may_be_replaced(u32 soft)
{
	return soft && field_exists(struct task_struct___rt, softirq_disable_cnt) && !runs_swapper();
}

static __noinline int close_irq_span(struct ring *ring, u64 now)
{
	u64 start = ring->irq_start, end = ring->irq_depth ? now : ring->irq_last, taken = READ_ONCE(ring->irq_taken);
	struct irq_span_record *record;

	ring->irq_start = 0;
#ifdef EPOCHS
	if (end <= start || (end - start < IRQ_MIN_NS && !ring->irq_continues))
		goto out;
#else
	if (taken == start || end <= start || end - start < IRQ_MIN_NS)
		goto out;
#endif
	if (end - start > 2 * IRQ_PIECE_NS)
		start = end - 2 * IRQ_PIECE_NS; /* one handler ran that long: its start is too old to be put in order */
	record = reserve(ring, sizeof(*record), KIND_IRQ_SPAN);
	if (!record)
		goto out;
	record->dur_ns = end - start;
	record->vector = ring->irq_vector;
	record->kind = ring->irq_kinds == 3 ? 2 : ring->irq_kinds == 2;
	commit(record, start, KIND_IRQ_SPAN);
out:
	ring->irq_longest = 0;
	ring->irq_kinds = 0;
	return 0;
}

static __always_inline int irq_entry(u32 soft)
{
	struct ring *ring;
	u64 now;

	if (may_be_replaced(soft))
		return 0;
	ring = ring_here();
	if (!ring)
		return 0;
	now = bpf_ktime_get_ns();
	if (ring->irq_start && !ring->irq_depth &&
	    (now - ring->irq_last > (runs_swapper() ? IRQ_GAP_NS : IRQ_GAP_BUSY_NS) ||
	     READ_ONCE(ring->irq_taken) == ring->irq_start))
		close_irq_span(ring, now);
	if (!ring->irq_start) {
		ring->irq_start = now;
#ifdef EPOCHS
		ring->irq_continues = 0;
#endif
	}
	ring->irq_depth++;
	ring->irq_part[soft] = now;
	return 0;
}

static __always_inline int irq_exit(u32 soft, u32 vector)
{
	struct ring *ring;
	u64 now, part;

	if (may_be_replaced(soft))
		return 0;
	ring = ring_here();
	if (!ring || !ring->irq_depth)
		return 0; /* recording started inside it */
	now = bpf_ktime_get_ns();
	ring->irq_depth--;
	ring->irq_last = now;
	ring->irq_kinds |= 1 << soft;
	part = now - ring->irq_part[soft];
	if (part >= ring->irq_longest) {
		ring->irq_longest = part;
		ring->irq_vector = vector;
	}
#ifdef EPOCHS
	if (!ring->irq_depth && (ring->irq_continues || now - ring->irq_start >= IRQ_MIN_NS)) {
		close_irq_span(ring, now);
		ring->irq_start = now;
		ring->irq_continues = 1;
		return 0;
	}
#endif
	if (now - ring->irq_start >= IRQ_PIECE_NS) {
		close_irq_span(ring, now);
		if (ring->irq_depth) {
			ring->irq_start = now;
#ifdef EPOCHS
			ring->irq_continues = 1;
#endif
		}
	}
	return 0;
}

SEC(TP "irq_handler_entry")
int on_irq_entry(u64 *ctx)
{
	return irq_entry(0);
}

SEC(TP "irq_handler_exit")
int on_irq_exit(u64 *ctx)
{
	return irq_exit(0, ctx[0]);
}

/* Milliseconds until the CPU's periodic attempts are due, and one; 0 unknown. */
static __always_inline u32 until_balance(struct rq *rq)
{
	s64 ticks = READ(rq, next_balance) - bpf_jiffies64();

	if (!config.tick_ns)
		return 0;
	return 1 + (ticks < 0 ? 0 : (u64)ticks * config.tick_ns / 1000000);
}

static __noinline int put_kick(u64 start, u32 target, u32 kind, u32 until)
{
	struct ring *ring = ring_here();
	struct kick_record *record;

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_KICK);
	if (!record)
		return 0;
	record->target_cpu = target;
	record->kind = kind;
	record->until_balance = until;
	commit(record, start, KIND_KICK);
	return 0;
}

SEC(TP "softirq_entry")
int on_softirq_entry(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (ring && (u32)ctx[0] == SCHED_SOFTIRQ)
		ring->balance_softirq = runs_swapper() ? bpf_ktime_get_ns() : 0;
	return irq_entry(1);
}

/* The record has the time at which the softirq began, if that is not so long ago that records of later times may have
 * been read. */
static __noinline int put_balance_softirq(void)
{
	u64 start, now = bpf_ktime_get_ns();
	struct ring *ring = ring_here();
	struct rq *rq;

	if (!ring || !ring->balance_softirq)
		return 0; /* recording started inside it */
	start = ring->balance_softirq;
	if (now - start > IRQ_PIECE_NS)
		start = now - IRQ_PIECE_NS;
	ring->balance_softirq = 0;
	rq = (void *)ring->queue;
	return put_kick(start, bpf_get_smp_processor_id(), KICK_SOFTIRQ, rq ? until_balance(rq) : 0);
}

/*
 * A wakeup is queued to another CPU, which will write the wakeup event: only this CPU knows the waker. A wakeup that is
 * not queued is written by the waker's own CPU.
 */
static __always_inline int put_queued_wakeup(void *ctx, u64 wake_entry)
{
	struct task_struct *p = (void *)wake_entry - field_offset(struct task_struct, wake_entry);
	struct ring *ring = ring_here();
	struct wakeup_record *record;
	s32 tid;
	u64 now;

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_WAKING);
	if (!record)
		return 0;
	tid = READ(p, pid);
	record->tid = tid;
	record->cpu = CPU_UNKNOWN;
	record->prio = READ(p, prio);
	now = bpf_ktime_get_ns();
	commit(record, now, KIND_WAKING);
	if (config.want_stacks & STACKS_WAKEUPS)
		put_stack(ctx, ring, tid, STACK_OF_WAKING, now);
	return 0;
}

/* What a kick is for is written to the kicked CPU's runqueue before it is sent (kick_ilb), and cleared as it arrives.
 */
static __always_inline int put_sent_kick(u32 target, struct __call_single_data *call)
{
	struct rq___nohz_flags *rq = READ(call, info);
	u32 kind = KICK_SENT;

	if (field_exists(struct rq___nohz_flags, nohz_flags))
		kind = READ(rq, nohz_flags.counter) & NOHZ_BALANCE_KICK ? KICK_TO_BALANCE : KICK_FOR_LOADS;
	return put_kick(bpf_ktime_get_ns(), target, kind, 0);
}

#ifndef UNTYPED_POINTERS
/* Arguments: target CPU, its call_single_data. */
SEC("fentry/smp_call_function_single_async")
int enter_smp_call_function_single_async(u64 *ctx)
{
	struct __call_single_data *call = (void *)ctx[1];

	if (config.kick && (u64)READ(call, func) == config.kick)
		put_sent_kick(ctx[0], call);
	return 0;
}
#endif

/* Arguments: target CPU, caller's address, function, its call_single_data. Always raw_tp: the verifier of 6.12 refuses
 * tp_btf programs that read a function pointer. */
SEC("raw_tp/csd_queue_cpu")
int on_csd_queue(u64 *ctx)
{
	if (config.kick && ctx[2] == config.kick)
		put_sent_kick(ctx[0], (void *)ctx[3]);
	else if (config.queued_wakeup && ctx[2] == config.queued_wakeup)
		put_queued_wakeup(ctx, ctx[3]);
	return 0;
}

SEC(TP "softirq_exit")
int on_softirq_exit(u64 *ctx)
{
	if ((u32)ctx[0] == SCHED_SOFTIRQ)
		put_balance_softirq();
	return irq_exit(1, ctx[0]);
}
