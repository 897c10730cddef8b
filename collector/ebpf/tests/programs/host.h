/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Before a BPF program's source: what compiles it for this machine. Types of other kernel releases (___suffix) count as absent. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef NULL
#undef __always_inline
#define __builtin_preserve_access_index(x) (x)
#define __builtin_preserve_field_info(expr, kind)                                                                      \
	((kind) == 2 ? !strstr(#expr, "___") : (kind) == 1 ? sizeof(expr) : (uintptr_t)&(expr))
