/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * All programs of the recorder in one object. Compiled for tp_btf; with WITHOUT_FETCH for tp_btf of kernels
 * before 5.12, with EPOCHS for a black box, and with UNTYPED_POINTERS for raw_tp, whose arguments have no types, so
 * that every field is read with bpf_probe_read_kernel.
 */
#include "kernel.h"
#include "records.h"
#include "ring.h"
#include "stacks.h"
#include "constraints.h"
#include "deadline.h"

#ifdef UNTYPED_POINTERS
#define TP "raw_tp/"
#else
#define TP "tp_btf/"
#endif

#include "irq.bpf.c"
#include "power.bpf.c"
#include "switch.bpf.c"
#include "lifecycle.bpf.c"
#include "balance.bpf.c"
#include "placement.bpf.c"
#include "sched_ext.bpf.c"
#include "snapshot.bpf.c"
#include "domains.bpf.c"
#include "regions.bpf.c"

/* The helpers used may only be called by programs under a licence compatible with the GPL. */
char licence[] SEC("license") = "Dual BSD/GPL";
