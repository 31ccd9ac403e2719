/*
 * venus-counter: a plugin of QEMU's user-mode emulator that counts the instructions of a program.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 * This file alone is under the GNU General Public License, version 2 or (at your option) any later version, because it
 * runs as a part of QEMU; it comes without any warranty. The rest of the toolkit communicates with it through count_file.h.
 *
 * Theory of operation
 * -------------------
 * QEMU translates a program block by block. We add one instruction to each block, which adds the length of the block to a
 * counter. Counters are in a memory file from venus-supervisor (count_file.h), so they survive any end of the program. A
 * block that faults in the middle counts as a whole, in every run.
 *
 * Threads. The added instruction is not atomic. When the second thread starts, QEMU translates everything again; from then
 * on blocks call a function that counts into a separate cell for each thread. Since version 9.0 QEMU has counters for each
 * thread ("scoreboards") in its own memory, which are copied into the file at each system call and at the end. If a
 * process is killed, the last counts are missing, and the header marks it as unclosed.
 *
 * Children. After a fork the child maps another part of the file over its parent's counters, so translated blocks stay
 * valid. execve would leave the emulation unnoticed, so a filter denies it, and the header counts the attempts.
 *
 * Fork server. If FORK_FD is a socket, the emulator stops before the interpreter opens the first file in the folder of the
 * program (or reads, writes, ends or starts anything), and forks a process for each run that venus-supervisor requests.
 * Each process inherits the translated blocks and the count of the start. The server itself has read neither program nor
 * input, and no run can reach it: it is outside their PID namespace, its memory is copied on write, and they share no
 * descriptors.
 *
 * Constants. constant=getrandom overwrites the kernel's random bytes with the same ones in every run. constant=tsc patches
 * the code of Go's runtime that reads the time stamp counter, whose value decides the order of maps and the choices of the
 * scheduler. constant=clock makes the first reading of each clock the same, and constant=nanosleep makes each call of
 * nanosleep take NAP.
 *
 * Functions of QEMU are looked up by name, so that one binary serves both generations of its interface; the declarations
 * are ours.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "count_file.h"

#if defined(__x86_64__)
#define PROCESSOR "x86_64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#else
#error "add the name that QEMU gives this processor"
#endif

/* ---------------------------------------------------------------- the interface of QEMU */

struct block;       /* qemu_plugin_tb */
struct instruction; /* qemu_plugin_insn */
struct board;       /* qemu_plugin_scoreboard */
struct board_entry { struct board *board; size_t offset; };
struct emulator { const char *target; struct { int oldest, newest; } version; bool whole_system; };
enum { ADD_U64 = 0, NO_REGISTERS = 0 };

typedef void on_thread(uint64_t id, unsigned thread);
typedef void on_block(unsigned thread, void *data);

static struct {
    void (*at_thread)(uint64_t id, on_thread *), (*at_thread_end)(uint64_t id, on_thread *);
    void (*at_translation)(uint64_t id, void (*)(uint64_t id, struct block *));
    void (*at_system_call)(uint64_t id, void (*)(uint64_t id, unsigned thread, int64_t number, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
    void (*at_return)(uint64_t id, void (*)(uint64_t id, unsigned thread, int64_t number, int64_t value));
    void (*at_end)(uint64_t id, void (*)(uint64_t id, void *), void *);
    size_t (*length)(const struct block *);
    struct instruction *(*instruction)(const struct block *, size_t);
    void *(*host_address)(const struct instruction *);
    uint64_t (*address)(const struct instruction *), (*code_start)(void), (*code_end)(void);
    void (*call)(struct block *, on_block *, int registers, void *data);
    void (*add)(struct block *, int operation, void *counter, uint64_t number);                     /* before 9.0 */
    void (*add_for_thread)(struct block *, int operation, struct board_entry, uint64_t number);     /* from 9.0 */
    struct board *(*new_board)(size_t size);
    void *(*on_board)(struct board *, unsigned thread);
} qemu;

static const struct { const char *name; void *place; bool needed; } interface[] = {
    { "qemu_plugin_register_vcpu_init_cb", &qemu.at_thread, true },
    { "qemu_plugin_register_vcpu_exit_cb", &qemu.at_thread_end, true },
    { "qemu_plugin_register_vcpu_tb_trans_cb", &qemu.at_translation, true },
    { "qemu_plugin_register_vcpu_syscall_cb", &qemu.at_system_call, true },
    { "qemu_plugin_register_vcpu_syscall_ret_cb", &qemu.at_return, true },
    { "qemu_plugin_register_atexit_cb", &qemu.at_end, true },
    { "qemu_plugin_tb_n_insns", &qemu.length, true },
    { "qemu_plugin_tb_get_insn", &qemu.instruction, true },
    { "qemu_plugin_insn_haddr", &qemu.host_address, true },
    { "qemu_plugin_insn_vaddr", &qemu.address, true },
    { "qemu_plugin_register_vcpu_tb_exec_cb", &qemu.call, true },
    { "qemu_plugin_start_code", &qemu.code_start, false },
    { "qemu_plugin_end_code", &qemu.code_end, false },
    { "qemu_plugin_register_vcpu_tb_exec_inline", &qemu.add, false },
    { "qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu", &qemu.add_for_thread, false },
    { "qemu_plugin_scoreboard_new", &qemu.new_board, false },
    { "qemu_plugin_scoreboard_find", &qemu.on_board, false },
};

/* QEMU reads it once the plugin is loaded and refuses a version that is not its own. */
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* Runs before that, and sets the newest version whose functions this QEMU has. */
__attribute__((constructor)) static void meet_emulator(void)
{
    static const struct { const char *name; int version; } newer[] = {
        { "qemu_plugin_scoreboard_new", 2 },
        { "qemu_plugin_register_vcpu_tb_exec_cond_cb", 3 },
        { "qemu_plugin_read_memory_vaddr", 4 },
        { "qemu_plugin_write_register", 5 },
    };
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
        if (dlsym(RTLD_DEFAULT, newer[i].name))
            qemu_plugin_version = newer[i].version;
}

static const char *missing_function(void)
{
    for (size_t i = 0; i < sizeof interface / sizeof *interface; i++) {
        void *found = dlsym(RTLD_DEFAULT, interface[i].name);
        if (!found && interface[i].needed)
            return interface[i].name;
        memcpy(interface[i].place, &found, sizeof found);
    }
    if (qemu.new_board && qemu.on_board && qemu.add_for_thread)
        qemu.add = NULL;
    else if (!qemu.add)
        return "a function that counts inside a block";
    return NULL;
}

/* ---------------------------------------------------------------- counting */

static struct count_header *header; /* the whole file, as it is mapped */
static struct count_cell *cells;    /* a second mapping of this process's part; cell 0 is for blocks that count inline */
static struct board *board;
static uint64_t at_fork[COUNT_CELLS]; /* the scoreboard's counts at the start of this process */
static unsigned most_threads;
static bool several, closed, serves; /* serves: a fork server, before it forks the process of a run */

static struct count_cell *cell_of(unsigned thread)
{
    return thread + 2 < COUNT_CELLS ? &cells[1 + thread] : &cells[COUNT_CELLS - 1];
}

/* Maps a part of the file over the counters. */
static bool take_part(void)
{
    uint32_t part = __atomic_fetch_add(&header->processes, 1, __ATOMIC_RELAXED);
    char *from = (char *)header + (1LL + (part < COUNT_PROCESSES ? part : COUNT_PROCESSES - 1)) * COUNT_PART;
    /* With size 0, mremap maps shared memory a second time. mmap would need the descriptor, which is closed early, since
     * programs may close all of theirs. */
    void *place = mremap(from, 0, COUNT_PART, MREMAP_MAYMOVE | (cells ? MREMAP_FIXED : 0), cells);
    if (place == MAP_FAILED)
        return false;
    cells = place;
    return true;
}

static void count_block(unsigned thread, void *length)
{
    uint64_t *counter = &cell_of(thread)->instructions;
    if (thread + 2 < COUNT_CELLS)
        *counter += (uintptr_t)length;
    else
        __atomic_fetch_add(counter, (uintptr_t)length, __ATOMIC_RELAXED);
}

static void publish(unsigned thread)
{
    if (!board)
        return;
    if (thread + 2 < COUNT_CELLS)
        cell_of(thread)->instructions = *(uint64_t *)qemu.on_board(board, thread) - at_fork[thread];
    else
        __atomic_store_n(&header->crowded, 1, __ATOMIC_RELAXED);
}

static void close_process(uint64_t id, void *unused)
{
    (void)id;
    (void)unused;
    for (unsigned thread = 0; thread < most_threads; thread++)
        publish(thread);
    if (board && !closed)
        __atomic_fetch_sub(&header->unclosed, 1, __ATOMIC_RELAXED);
    closed = true;
}

static void begin_child(void)
{
    if (serves) /* not a child of the program */
        return;
    if (!take_part())
        __atomic_store_n(&header->crowded, 1, __ATOMIC_RELAXED);
    closed = false;
    if (!board)
        return;
    __atomic_fetch_add(&header->unclosed, 1, __ATOMIC_RELAXED);
    for (unsigned thread = 0; thread < most_threads && thread < COUNT_CELLS; thread++)
        at_fork[thread] = *(uint64_t *)qemu.on_board(board, thread);
}

static void begin_thread(uint64_t id, unsigned thread)
{
    (void)id;
    if (thread >= most_threads)
        most_threads = thread + 1;
    several = several || thread > 0;
}

static void end_thread(uint64_t id, unsigned thread)
{
    (void)id;
    publish(thread);
}

/* ---------------------------------------------------------------- constants */

#define CLOCK_READINGS 32
#define CLOCKS 12 /* system clocks; those of processes and threads have larger numbers */
#define NAP 100000000L /* ns */
#define CLOCK_START 1700000000000000000LL /* ns */

static bool constant_random, constant_tsc, constant_clock, long_naps;
static int64_t guest_base; /* the program's address 0 in our address space */
static __thread uint64_t first_argument, second_argument, random_state;

static void fill(uint8_t *buffer, int64_t size)
{
    for (int64_t i = 0; i < size; i++) { /* a linear congruential generator, with the constants of Knuth's MMIX */
        random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
        buffer[i] = (uint8_t)(random_state >> 56);
    }
}

static void *in_program(uint64_t address)
{
    return (void *)(uintptr_t)(address + (uint64_t)guest_base);
}

/* The first reading of each clock is the same in every run, because it may become a seed; later ones continue from it. */
static void set_clock(uint64_t which, struct timespec *clock)
{
    static unsigned readings;
    static int64_t offsets[CLOCKS]; /* by clock */
    if (which >= CLOCKS)
        return;
    int64_t now = clock->tv_sec * 1000000000LL + clock->tv_nsec, said = CLOCK_START + readings * 1000LL;
    if (readings < CLOCK_READINGS || !offsets[which]) {
        readings += readings < CLOCK_READINGS;
        offsets[which] = said - now;
    } else {
        said = now + offsets[which];
    }
    clock->tv_sec = said / 1000000000LL;
    clock->tv_nsec = said % 1000000000LL;
}

/* ---------------------------------------------------------------- fork server */

static char folder[PATH_MAX]; /* of the program */
static uint64_t thread_id; /* the address at which the program's C library keeps the ID of the first thread; 0: none */

/* Whether a process forked now shares nothing with this one: no descriptor, no memory, no other thread. The program must
 * not handle SIGCHLD, either: the next run would start with the signal from the end of a child. */
static bool shares_nothing(void)
{
    struct sigaction child;
    bool alone = most_threads == 1 && !sigaction(SIGCHLD, NULL, &child) && child.sa_handler == SIG_DFL;
    DIR *descriptors = opendir("/proc/self/fd");
    struct dirent *entry;
    while (descriptors && (entry = readdir(descriptors))) {
        int fd = atoi(entry->d_name);
        alone = alone && (fd <= STDERR_FILENO || fd == FORK_FD || fd == dirfd(descriptors));
    }
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    while (maps && fgets(line, sizeof line, maps)) {
        char *start = (char *)(uintptr_t)strtoull(line, NULL, 16);
        bool counts = start == (char *)cells || (start >= (char *)header && start < (char *)header + COUNT_BYTES);
        const char *rights = line + strcspn(line, " ") + 1;
        alone = alone && (rights[1] != 'w' || rights[3] != 's' || counts);
    }
    alone = alone && descriptors && maps;
    if (descriptors)
        closedir(descriptors);
    if (maps)
        fclose(maps);
    return alone;
}

/* Receives a message with `count` descriptors; false at the end of the requests. */
static bool receive(void *data, size_t size, int *files, size_t count)
{
    union { struct cmsghdr header; char bytes[CMSG_SPACE(FORK_FILES * sizeof(int))]; } control;
    struct iovec part = { data, size };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(count * sizeof(int)) };
    ssize_t n;
    do
        n = recvmsg(FORK_FD, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)size || message.msg_controllen != CMSG_SPACE(count * sizeof(int)))
        return false;
    memcpy(files, CMSG_DATA(&control.header), count * sizeof(int));
    return true;
}

static void answer(int number)
{
    send(FORK_FD, &number, sizeof number, MSG_NOSIGNAL);
}

/* After this, children are born in the namespace of the supervisor, and neither they nor we may make another. */
static bool enter_namespace(void)
{
    uint64_t entry; /* a secret that the filter requires */
    int namespace;
    if (!receive(&entry, sizeof entry, &namespace, 1))
        return false;
    bool entered = !syscall(SYS_setns, (long)namespace, (long)CLONE_NEWPID, 0L, 0L, 0L, entry);
    close(namespace);
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    static const struct __user_cap_data_struct nothing[_LINUX_CAPABILITY_U32S_3];
    return !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && !syscall(SYS_capset, &header, nothing) && entered;
}

/* Gives a new process the files of its run, so that it equals one started by venus-supervisor. */
static void begin_run(const int files[FORK_FILES])
{
    uint64_t start = cells->instructions;
    serves = false;
    setsid();
    for (int fd = 0; fd < 3; fd++)
        dup2(files[fd], fd);
    if (mmap(header, COUNT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, files[3], 0) == MAP_FAILED || !take_part())
        _exit(127);
    cells->instructions = start;
    header->unclosed = board != NULL;
    header->magic = COUNT_MAGIC;
    close(FORK_FD);
    for (int i = 0; i < FORK_FILES; i++)
        close(files[i]);
    if (thread_id) /* it still has the ID of the server, to which pthread_kill would send signals */
        *(int *)in_program(thread_id) = (int)syscall(SYS_set_tid_address, in_program(thread_id));
    /* Wait for the end of the intermediate process, which the program could otherwise stop or kill. */
    while (getppid() != 1)
        nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

/* Forks twice for each run, and returns in the grandchild. When the intermediate process has ended, the supervisor becomes
 * the parent, since it is process 1 of the namespace. It gets one reply from the intermediate process, then one from the
 * server. */
static void serve(void)
{
    int files[FORK_FILES], status = 0;
    bool able = shares_nothing();
    answer(able);
    if (able)
        answer(able = enter_namespace());
    while (receive(&(char){ 0 }, 1, files, FORK_FILES)) {
        pid_t between = able ? fork() : -1;
        if (!between) {
            pid_t program = fork();
            if (!program) {
                begin_run(files);
                return;
            }
            answer(program);
            _exit(0);
        }
        for (int i = 0; i < FORK_FILES; i++)
            close(files[i]);
        bool started = between > 0 && waitpid(between, &status, 0) == between && !status;
        answer(started ? between : -1);
    }
    wait(&status); /* the supervisor */
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Whether a call opens a file in the folder of the program (a relative path may be one), or must happen in each run: it
 * reads standard input, writes, starts a process or thread, or ends. */
static bool belongs_to_run(int64_t number, uint64_t a, uint64_t b)
{
    const char *path = NULL;
    switch (number) {
    case SYS_openat:
    case SYS_openat2:
        path = in_program(b);
        break;
#ifdef SYS_open
    case SYS_open:
        path = in_program(a);
        break;
    case SYS_fork:
    case SYS_vfork:
        return true;
#endif
    case SYS_read:
    case SYS_readv:
        return a == STDIN_FILENO;
    case SYS_write:
    case SYS_writev:
    case SYS_clone:
    case SYS_clone3:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
        return true;
    }
    size_t length = strlen(folder);
    return path && (*path != '/' || (!strncmp(path, folder, length) && (path[length] == '/' || !path[length])));
}

static void before_call(uint64_t id, unsigned thread, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (serves && number == SYS_set_tid_address)
        thread_id = a;
    if (serves && belongs_to_run(number, a, b))
        serve();
    first_argument = a;
    second_argument = b;
    if (long_naps && number == SYS_nanosleep)
        *(struct timespec *)in_program(a) = (struct timespec){ .tv_nsec = NAP };
    if (number == SYS_execve || number == SYS_execveat)
        __atomic_fetch_add(&header->executed, 1, __ATOMIC_RELAXED);
    publish(thread);
}

static void after_call(uint64_t id, unsigned thread, int64_t number, int64_t value)
{
    (void)id, (void)thread;
    if (constant_random && number == SYS_getrandom && value > 0)
        fill(in_program(first_argument), value);
    if (constant_clock && number == SYS_clock_gettime && !value)
        set_clock(first_argument, in_program(second_argument));
}

/* Finds the code in Go's runtime that joins the halves of rdtsc or rdtscp, and replaces it by a load of 1. The rdtsc
 * itself stays, because another path jumps to the code after it. */
static void replace_tsc(uint8_t *at, const uint8_t *end)
{
    static const uint8_t joined[] = { 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x01, 0xd0 }; /* shl rdx,32; add rax,rdx */
    static const uint8_t one[] = { 0xb8, 0x01, 0x00, 0x00, 0x00, 0x66, 0x90 };    /* mov eax,1; nop */
    for (at += 3; at + sizeof joined <= end; at++)
        if (!memcmp(at, joined, sizeof joined) && (!memcmp(at - 2, "\x0f\x31", 2) || !memcmp(at - 3, "\x0f\x01\xf9", 3)))
            memcpy(at, one, sizeof one);
}

static void change_program(void)
{
    static bool done;
    if (done || !qemu.code_start || !qemu.code_end)
        return;
    done = true;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)(qemu.code_start() + (uint64_t)guest_base), end = (uintptr_t)(qemu.code_end() + (uint64_t)guest_base);
    void *from = (void *)(start & ~(page - 1));
    size_t size = end - (start & ~(page - 1));
    /* QEMU maps code read-only, since it is translated, not run. */
    if (end <= start || mprotect(from, size, PROT_READ | PROT_WRITE))
        return;
    replace_tsc((uint8_t *)start, (const uint8_t *)end);
    mprotect(from, size, PROT_READ);
}

static void translate(uint64_t id, struct block *block)
{
    (void)id;
    size_t length = qemu.length(block);
    static bool met;
    if (!met) {
        struct instruction *first = qemu.instruction(block, 0);
        guest_base = (int64_t)((uintptr_t)qemu.host_address(first) - qemu.address(first));
        met = true;
    }
    if (constant_tsc)
        change_program();
    if (board)
        qemu.add_for_thread(block, ADD_U64, (struct board_entry){ board, 0 }, length);
    else if (several)
        qemu.call(block, count_block, NO_REGISTERS, (void *)length);
    else
        qemu.add(block, ADD_U64, &cells[0].instructions, length);
}

/* ---------------------------------------------------------------- start */

static bool refuse_execve(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { .len = sizeof code / sizeof *code, .filter = code };
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static const char *open_file(void)
{
    void *place = mmap(NULL, COUNT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, COUNT_FD, 0);
    if (place == MAP_FAILED)
        return "there is no file for the counts";
    close(COUNT_FD);
    header = place;
    int type;
    serves = !getsockopt(FORK_FD, SOL_SOCKET, SO_TYPE, &type, &(socklen_t){ sizeof type }) && getcwd(folder, sizeof folder);
    return take_part() ? NULL : "the counters cannot be mapped";
}

static const char *begin(const struct emulator *emulator, int count, char **options)
{
    if (emulator->whole_system || strcmp(emulator->target, PROCESSOR))
        return "it emulates another processor";
    for (int i = 0; i < count; i++) {
        if (!strcmp(options[i], "constant=getrandom"))
            constant_random = true;
        else if (!strcmp(options[i], "constant=tsc"))
            constant_tsc = true;
        else if (!strcmp(options[i], "constant=clock"))
            constant_clock = true;
        else if (!strcmp(options[i], "constant=nanosleep"))
            long_naps = true;
        else
            return "unknown option";
    }
    const char *lacking = missing_function();
    if (lacking) {
        static char message[96];
        snprintf(message, sizeof message, "this QEMU lacks %s", lacking);
        return message;
    }
    lacking = open_file();
    if (lacking)
        return lacking;
    if (!qemu.add) {
        board = qemu.new_board(sizeof(uint64_t));
        header->unclosed = 1;
    }
    if (pthread_atfork(NULL, NULL, begin_child) || !refuse_execve())
        return "execve cannot be refused";
    return NULL;
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const struct emulator *emulator, int count, char **options)
{
    const char *problem = begin(emulator, count, options);
    if (problem) {
        fprintf(stderr, "venus-counter: %s\n", problem);
        return -1;
    }
    qemu.at_thread(id, begin_thread);
    qemu.at_thread_end(id, end_thread);
    qemu.at_translation(id, translate);
    qemu.at_system_call(id, before_call);
    qemu.at_return(id, after_call);
    qemu.at_end(id, close_process, NULL);
    header->magic = COUNT_MAGIC;
    return 0;
}
