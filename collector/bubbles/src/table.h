/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from a number (not 0) to a pointer: open addressing, linear probing, a power of two of slots. */
#ifndef WASTENOT_BUBBLE_TABLE_H
#define WASTENOT_BUBBLE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table {
	struct table_slot {
		uint64_t key; /* 0: empty */
		void *value;
	} *slots;
	size_t size; /* slots, 0 or a power of two */
	size_t used;
};

void *table_find(const struct table *table, uint64_t key);
int table_put(struct table *table, uint64_t key, void *value); /* 0 or -ENOMEM; the key must not be there */
void table_remove(struct table *table, uint64_t key);

#endif
