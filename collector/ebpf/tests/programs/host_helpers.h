/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Behind a BPF program's source: a clock that tests set, and a comparison. */

static u64 clock_ns;

static u64 ktime(void)
{
	return clock_ns;
}

static long copy(void *to, u32 size, const void *from)
{
	memcpy(to, from, size);
	return 0;
}

static void use_host_helpers(void)
{
	bpf_ktime_get_ns = ktime;
	bpf_probe_read_kernel = copy;
}

#define EXPECT(name, value, wanted)                                                                                    \
	do {                                                                                                           \
		unsigned long long value_ = (value), wanted_ = (wanted);                                               \
		if (value_ != wanted_) {                                                                               \
			fprintf(stderr, "%s:%d: %s is %llu, not %llu\n", name, __LINE__, #value, value_, wanted_);     \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
