/*
 * Replaces QEMU 9.0 or newer, which has scoreboards instead of inline counters: loads the counting plugin, runs a block
 * of 5 instructions on two threads and in a child, and prints the totals in the count file. With a further argument,
 * the child is killed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count_file.h"

struct entry { void *board; size_t offset; };
typedef void simple(uint64_t, unsigned);
static uint64_t counters[8];
static simple *born, *gone;
static void (*translated)(uint64_t, void *), (*called)(uint64_t, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t), (*ended)(uint64_t, void *);
static uint64_t added;

void qemu_plugin_register_vcpu_init_cb(uint64_t id, simple *f) { (void)id; born = f; }
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, simple *f) { (void)id; gone = f; }
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void *f) { (void)id; memcpy(&translated, &f, sizeof f); }
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, void *f) { (void)id; memcpy(&called, &f, sizeof f); }
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, void *f) { (void)id, (void)f; }
void qemu_plugin_register_atexit_cb(uint64_t id, void *f, void *data) { (void)id, (void)data; memcpy(&ended, &f, sizeof f); }
size_t qemu_plugin_tb_n_insns(const void *block) { (void)block; return 5; }
void *qemu_plugin_tb_get_insn(const void *block, size_t i) { (void)i; return (void *)block; }
void *qemu_plugin_insn_haddr(const void *instruction) { return (void *)instruction; }
uint64_t qemu_plugin_insn_vaddr(const void *instruction) { return (uintptr_t)instruction; }
void qemu_plugin_register_vcpu_tb_exec_cb(void *block, void *f, int flags, void *data) { (void)block, (void)f, (void)flags, (void)data; abort(); }
void *qemu_plugin_scoreboard_new(size_t size) { return size == 8 ? counters : NULL; }
void *qemu_plugin_scoreboard_find(void *board, unsigned thread) { return (uint64_t *)board + thread; }
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(void *block, int operation, struct entry entry, uint64_t n)
{
    (void)block;
    if (operation == 0 && entry.board == counters && entry.offset == 0)
        added = n;
}

static void run(unsigned thread, int times)
{
    counters[thread] += times * added;
}

static void make_call(unsigned thread, long number)
{
    called(1, thread, number, 0, 0, 0, 0, 0, 0, 0, 0);
}

int main(int argc, char **argv)
{
    int file = memfd_create("count", 0);
    if (argc < 2 || ftruncate(file, COUNT_BYTES) || dup2(file, COUNT_FD) < 0)
        return 2;
    struct { const char *target; struct { int oldest, newest; } version; bool whole_system; } emulator = { argv[2], { 2, 5 }, false };
    void *plugin = dlopen(argv[1], RTLD_NOW);
    int (*install)(uint64_t, const void *, int, char **), *version = plugin ? dlsym(plugin, "qemu_plugin_version") : NULL;
    *(void **)&install = plugin ? dlsym(plugin, "qemu_plugin_install") : NULL;
    int keep = dup(file);
    if (!install || install(1, &emulator, 0, NULL))
        return 3;
    born(1, 0);
    translated(1, &emulator);
    run(0, 10);
    born(1, 1);
    run(1, 4);
    gone(1, 1);
    make_call(0, SYS_getpid);
    if (!fork()) {
        run(0, 3);
        if (argc > 3)
            raise(SIGKILL);
        ended(1, NULL);
        _exit(0);
    }
    wait(NULL);
    run(0, 1);
    ended(1, NULL);
    struct count_header header;
    static struct count_cell cells[COUNT_CELLS];
    uint64_t sum = 0;
    if (pread(keep, &header, sizeof header, 0) != sizeof header)
        return 4;
    for (uint32_t part = 0; part < header.processes; part++) {
        if (pread(keep, cells, sizeof cells, (1LL + part) * COUNT_PART) != sizeof cells)
            return 5;
        for (size_t i = 0; i < COUNT_CELLS; i++)
            sum += cells[i].instructions;
    }
    printf("version %d processes %u unclosed %u sum %lu\n", *version, header.processes, header.unclosed, sum);
    return 0;
}
