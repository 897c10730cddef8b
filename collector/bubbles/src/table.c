/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>

static size_t home(const struct table *table, uint64_t key)
{
	/* Fibonacci hashing: the upper bits of a product with 2^64 / golden ratio. */
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->size - 1);
}

static size_t place(const struct table *table, uint64_t key)
{
	size_t at = home(table, key);

	while (table->slots[at].key && table->slots[at].key != key)
		at = (at + 1) & (table->size - 1);
	return at;
}

void *table_find(const struct table *table, uint64_t key)
{
	return table->size ? table->slots[place(table, key)].value : NULL;
}

static int grow(struct table *table)
{
	struct table larger = { .size = table->size ? 2 * table->size : 64, .used = table->used };

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].key)
			larger.slots[place(&larger, table->slots[i].key)] = table->slots[i];
	free(table->slots);
	*table = larger;
	return 0;
}

int table_put(struct table *table, uint64_t key, void *value)
{
	if (2 * (table->used + 1) > table->size && grow(table))
		return -ENOMEM;
	table->slots[place(table, key)] = (struct table_slot){ key, value };
	table->used++;
	return 0;
}

void table_remove(struct table *table, uint64_t key)
{
	size_t hole = table->size ? place(table, key) : 0;

	if (!table->size || !table->slots[hole].key)
		return;
	/* Slots behind the hole move up unless that would put them before their home. */
	for (size_t at = (hole + 1) & (table->size - 1); table->slots[at].key; at = (at + 1) & (table->size - 1)) {
		size_t from_home = (at - home(table, table->slots[at].key)) & (table->size - 1);

		if (from_home >= ((at - hole) & (table->size - 1))) {
			table->slots[hole] = table->slots[at];
			hole = at;
		}
	}
	table->slots[hole] = (struct table_slot){ 0, NULL };
	table->used--;
}
