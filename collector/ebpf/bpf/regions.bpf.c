/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Calls of MPI and OpenMP libraries in which a thread waits for others, and bodies of parallel regions: probes of user
 * space at entry and return, attached on request only. The cookie of a probe has the number of the region in its low 16
 * bits and above them the place of the argument that names the peer, counted from 1, 0 none. Such a program may be
 * preempted between reserving a record and committing it: user space stops at a record that is not complete.
 */

#define NO_PEER ((s32)0x80000000)

/* The first, fourth or sixth argument. All are read: the verifier takes no register whose place is computed. */
static __always_inline s32 peer_of(struct pt_regs *ctx, u32 place)
{
#ifdef __TARGET_ARCH_x86
	s32 first = READ_ONCE(ctx->di), fourth = READ_ONCE(ctx->cx), sixth = READ_ONCE(ctx->r9);

	barrier();
	return place == 1 ? first : place == 4 ? fourth : place == 6 ? sixth : NO_PEER;
#else
	return NO_PEER;
#endif
}

static __always_inline int record_region(struct pt_regs *ctx, bool enter)
{
	struct ring *ring = ring_here();
	struct region_record *record;
	u64 cookie, now;

	if (!ring)
		return 0;
	cookie = bpf_get_attach_cookie(ctx);
	now = bpf_ktime_get_ns();
	record = reserve(ring, sizeof(*record), KIND_REGION);
	if (!record)
		return 0;
	record->tid = bpf_get_current_pid_tgid();
	record->region = cookie;
	record->enter = enter;
	record->peer = enter ? peer_of(ctx, cookie >> 16 & 0xff) : NO_PEER;
	record->reserved = 0;
	commit(record, now, KIND_REGION);
	return 0;
}

/* Many probes with one link, from 6.6 on; and one each, where that is refused. */
SEC("uprobe.multi")
int enter_regions(struct pt_regs *ctx)
{
	return record_region(ctx, true);
}

SEC("uretprobe.multi")
int leave_regions(struct pt_regs *ctx)
{
	return record_region(ctx, false);
}

SEC("uprobe")
int enter_region(struct pt_regs *ctx)
{
	return record_region(ctx, true);
}

SEC("uretprobe")
int leave_region(struct pt_regs *ctx)
{
	return record_region(ctx, false);
}
