/*
 * A plugin for QEMU's user-mode emulator that counts instructions and simulates misses of three caches and two
 * translation buffers. It writes the counts as JSON to the file that out=FILE names.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 * This file alone is under the GNU General Public License, version 2 or (at your option) any later version, because it
 * runs as a part of QEMU; it comes without any warranty.
 *
 * For single-threaded programs. Sizes are those of a common server core; replacement is least recently used. A line
 * next to an earlier miss counts as prefetched. The declarations of QEMU's interface, before 9.0, are our own.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block;
struct instruction;
struct emulator;
enum { NO_REGISTERS = 0, ADD_U64 = 0, READS_AND_WRITES = 3 };

extern size_t qemu_plugin_tb_n_insns(const struct block *);
extern struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*)(uint64_t, struct block *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, int operation, void *counter, uint64_t number);
extern void qemu_plugin_register_vcpu_mem_cb(
    struct instruction *, void (*)(unsigned, uint32_t, uint64_t, void *), int registers, int kinds, void *);
extern void qemu_plugin_register_atexit_cb(uint64_t id, void (*)(uint64_t, void *), void *);

int qemu_plugin_version = 1;

enum { LINE_BITS = 6, PAGE_BITS = 12, STREAMS = 16 };

struct cache {
    size_t sets, ways;
    uint64_t misses, now, *key, *used;
};

static struct cache l1, l2, l3, tlb1, tlb2;
static uint64_t instructions, last_line = UINT64_MAX, stream[STREAMS];
static unsigned next_stream;
static const char *out = "/dev/stderr";

static struct cache make_cache(size_t entries, size_t ways)
{
    return (struct cache){ entries / ways, ways, 0, 0, calloc(entries, 8), calloc(entries, 8) };
}

static bool hits(struct cache *c, uint64_t key)
{
    uint64_t *keys = c->key + key % c->sets * c->ways, *used = c->used + key % c->sets * c->ways;
    size_t oldest = 0;

    c->now++;
    key++; /* 0 marks an empty slot */
    for (size_t way = 0; way < c->ways; way++) {
        if (keys[way] == key) {
            used[way] = c->now;
            return true;
        }
        if (used[way] < used[oldest])
            oldest = way;
    }
    keys[oldest] = key;
    used[oldest] = c->now;
    c->misses++;
    return false;
}

static bool fetched_ahead(uint64_t line)
{
    for (unsigned k = 0; k < STREAMS; k++)
        if (line == stream[k] + 1 || line + 1 == stream[k]) {
            stream[k] = line;
            return true;
        }
    stream[next_stream++ % STREAMS] = line;
    return false;
}

static void on_access(unsigned thread, uint32_t kind, uint64_t address, void *data)
{
    uint64_t line = address >> LINE_BITS;

    (void)thread, (void)kind, (void)data;
    if (line == last_line)
        return;
    last_line = line;
    if (!hits(&tlb1, address >> PAGE_BITS))
        hits(&tlb2, address >> PAGE_BITS);
    if (hits(&l1, line))
        return;
    bool ahead = fetched_ahead(line);
    uint64_t l2_misses = l2.misses, l3_misses = l3.misses;
    if (hits(&l2, line))
        return;
    hits(&l3, line);
    if (ahead) { /* prefetched, so the program did not wait */
        l2.misses = l2_misses;
        l3.misses = l3_misses;
    }
}

static void on_translation(uint64_t id, struct block *block)
{
    size_t count = qemu_plugin_tb_n_insns(block);

    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, &instructions, count);
    for (size_t k = 0; k < count; k++)
        qemu_plugin_register_vcpu_mem_cb(
            qemu_plugin_tb_get_insn(block, k), on_access, NO_REGISTERS, READS_AND_WRITES, NULL);
}

static void at_end(uint64_t id, void *data)
{
    FILE *file = fopen(out, "w");

    (void)id, (void)data;
    if (!file)
        return;
    fprintf(file, "{\"insn\": %lu, \"l1\": %lu, \"l2\": %lu, \"l3\": %lu, \"tlb1\": %lu, \"tlb2\": %lu}\n",
            instructions, l1.misses, l2.misses, l3.misses, tlb1.misses, tlb2.misses);
    fclose(file);
}

int qemu_plugin_install(uint64_t id, const struct emulator *emulator, int count, char **options)
{
    (void)emulator;
    for (int k = 0; k < count; k++)
        if (!strncmp(options[k], "out=", 4))
            out = strdup(options[k] + 4);
    l1 = make_cache(512, 8);            /* 32 KiB */
    l2 = make_cache(8192, 8);           /* 512 KiB */
    l3 = make_cache(262144, 16);        /* 16 MiB */
    tlb1 = make_cache(64, 64);
    tlb2 = make_cache(2048, 8);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, at_end, NULL);
    return 0;
}
