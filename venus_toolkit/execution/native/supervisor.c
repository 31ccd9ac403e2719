/*
 * venus-supervisor: runs one compiled program on many inputs and reports the kernel's figures of each run.
 *
 * Theory of operation
 * -------------------
 * The supervisor is started once for a program, reads requests on descriptor 0 and answers each on descriptor 1:
 *
 *     request   run <bytes>\n            followed by that many bytes: the standard input of the run
 *     answer    {"exit_code": ...}\n     one line of JSON, then stdout_bytes + stderr_bytes raw bytes of output
 *
 * A container takes a tenth of a second to create, and its first process cannot be replaced. So a second kind of request
 * turns a waiting supervisor into one with other options, by execve:
 *
 *     request   become <bytes>\n         followed by that many bytes: NUL-ended words, first the environment
 *                                        (NAME=VALUE), an empty word, then the new command line
 *     answer    ready\n                  from the new supervisor, whose options include --ready; the client must wait
 *
 * With --attended, a supervisor in a container exits when no process holds its request pipe open; as process 1 it takes
 * all other processes with it. So does one with a fork server, which then ends as well.
 *
 * Failures and results are separate: a failure of the supervisor is one line on descriptor 2 and exit status 3, while
 * anything that the program does becomes an answer. The program never has descriptors 0, 1 and 2 of the supervisor.
 *
 * One run. Input, stdout and stderr are memory files, so no pipe has to be drained while the program runs, and nothing is
 * copied during the measured time. They are new for each run; the program may read the first and write the others. The
 * child shares our memory until execve, as after vfork. It sets its limits, its processor and its user, stores the
 * monotonic time in our memory, and calls execve: `wall` starts at that moment and ends when the pidfd reports the exit of
 * the process. If the program has its own processor, a second thread of the supervisor waits there, awake between two
 * runs, and makes the child: moving a new process to a sleeping processor would take a tenth of the time of a tiny
 * program. Page faults and context switches come from wait4, for the program and every descendant that was waited for. So
 * does CPU time, unless that of the control group minus our own is larger.
 *
 * Processes. The supervisor is process 1 of a private PID namespace, made by bubblewrap, by a container or by itself. So
 * no process inside can signal it, every orphan becomes its child, kill(-1) reaches all processes, and when it dies the
 * kernel kills the rest. Without a namespace it becomes a subreaper and finds its descendants through /proc; the record
 * says which of the two it was ("containment").
 *
 * Runs must not pass information to later runs, nor recognise whether they are judged or measured. So the first process
 * has the same number each time (--last-pid), /proc hides our processes (--hide), our command line is erased, and after a
 * run that read or wrote the writable folders, these are replaced (--untouched). The system call filter denies other
 * channels: time stamps of devices, the state of the page cache, our clocks.
 *
 * Memory. A sample is the sum of the resident sets of all processes of the run, from /proc/PID/statm, and of the memory
 * that the control group (--usage) was charged for since the start of the run but that is in no resident set: memory
 * files, files in memory file systems, data in pipes and sockets. Amounts below SLACK do not count, since the kernel
 * charges in batches. Larger amounts are examined: files that were read for the first time and the kernel's own data on
 * processes do not count. If a process lost all its pages to another one, its last value still counts, it is still
 * sampled, and the record reports a disagreement. A process that waits for its vfork child counts once, with the child. At
 * the start samples are dense (read without sleeping for --spin-ns if the supervisor has its own core). Then they thin out
 * geometrically to the requested interval, with random offsets. The integral is the trapezoid rule over these samples,
 * anchored with 0 at execve and with the last value at the exit; if the address space was already being torn down, the
 * last stretch is a ramp to 0. New processes are noticed by the last PID in /proc/loadavg, which is that of our namespace.
 * The peak is the maximum of the kernel's high-water mark (ru_maxrss), the samples, and the control group's peak between
 * samples. ru_maxrss starts from the resident set of the address space from which the process was forked, ours, which is
 * less than 1 MiB. A mark that is not higher has little meaning, so with many samples the samples are used instead. (Our
 * own ru_maxrss cannot serve as that threshold: it includes the program that became us by execve, in a container a Go
 * program of 10 MB.)
 *
 * Instructions. With --count, a plugin of the emulator that runs the program counts into another memory file, which the
 * emulator gets as descriptor COUNT_FD and closes (counter.c). With --pmu, a counter of the processor counts; we open it
 * before the first program, all our children inherit it, and execve enables it.
 *
 * Fork server (--fork-server, with --count). Starting an interpreter under the emulator takes half a second, so it starts
 * once, stops before it reads the program, and forks for each run (counter.c). We make a PID namespace inside our own with
 * the supervisor as its process 1, while our original process becomes the server, outside. Children of the server are born
 * in the new namespace and become the supervisor's children; none of them can address the server, signal it or see it in
 * /proc. It has the user, the limits and the filter of a program. If it shares any state with its children, each run
 * starts its own emulator instead.
 *
 * Our parent makes the control groups; `venus-supervisor join FILE... -- COMMAND` enters them and executes COMMAND. We get
 * their files as open descriptors, or as paths if they have one in the sandbox.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "count_file.h"

#define VERSION "2"
#define MAX_PROCESSES 1024
#define MAX_WIPED 8
#define MAX_TRACE 4096
#define MAX_WORDS 1024
#define MAX_WORDS_BYTES (128 * 1024)
#define MS 1000000LL
#define DENSE 25000         /* ns between samples at the start; each costs the program a microsecond */
#define LOOKS 256          /* number of checks of the program's thread states within the wall time limit */
#define PLENTY 16          /* from this number on, samples are more accurate than an inherited high-water mark */
#define AWAKE 300000       /* ns that a processor is kept awake for the next run */
#define PATIENCE (20 * MS) /* how long answers may be buffered */
#define SLACK (1LL << 20) /* bytes: the kernel charges in batches, for each processor and each counter */
#define SMALL (64LL << 10) /* bytes: larger input and output of a run is freed before the next run */
#define FIRST_NUMBER 2 /* the ID of the first process or thread in a new namespace, after process 1 */
#define OWN_BYTES (2LL << 20) /* an upper bound for us and our parent */
#define THREAD_BYTES (24LL << 10)   /* the kernel's own data for a thread, ... */
#define PROCESS_BYTES (512LL << 10) /* ... for the first process, with its open files, and for each further one, ... */
#define CHILD_BYTES (160LL << 10)
#define TABLES_SHARE 256            /* ... and for page tables: 1 / TABLES_SHARE of the resident memory */
#define GROUP_CPU_NOISE (MS / 10) /* ns: the usual difference between the two clocks */
#define BLIND (50 * MS) /* time without a sample after which memory in between is unknown */
#define FILL_RATE 16LL    /* bytes a nanosecond: no program allocates faster, and the next sample sees the rest */

typedef int64_t ns_t;

struct options {
    ns_t wall_ns, cpu_ns, interval_ns, spin_ns;
    int64_t memory_bytes, output_bytes, file_bytes, stack_bytes, processes, open_files, pass, looked_up;
    int program_cpu, sampler_cpu, uid, gid, peak_fd, events_fd, usage_fd, stat_fd, cpu_fd, last_pid_fd;
    bool seccomp, namespaces, hide, untouched, trace, ready, attended, count, pmu, fork_server;
    const char *directory, *wiped[MAX_WIPED];
    int wiped_count;
    char **argv;
};

struct process {
    pid_t pid, parent; /* parent: not for the first process */
    int statm;
    uint64_t rss, private;
    ns_t cpu;     /* at the last sample */
    ns_t gone_at; /* first sample at which the address space of the main process was gone */
};

struct point { ns_t at; uint64_t rss; };

struct run {
    pid_t pid;
    int pidfd;
    ns_t started_at, ended_at, sampled_at, largest_gap;
    uint64_t rss, sampled_peak;
    int64_t usage, files; /* of the control group, in bytes, before the run: all, and cached files */
    int64_t explained;    /* bytes in the control group that are not memory of the program, at the last examination */
    ns_t explained_at, group_cpu, own_cpu;
    ns_t looked_at, runnable; /* last check of thread states, and the time for which a thread was runnable */
    unsigned __int128 doubled_integral; /* sum of (a + b) * dt: twice the trapezoids, exact */
    int64_t samples;
    int live, most_live;
    int64_t group_peak, usage_after, out, err, output_memory; /* bytes, after the run */
    int64_t pmu; /* the processor's counter before the run */
    struct rusage rusage;
    int status;
    const char *limit;
    bool dirty, vanished; /* vanished: a live process lost its pages */
};

static struct options opt = {
    .wall_ns = 10000 * MS, .cpu_ns = 10000 * MS, .interval_ns = MS, .memory_bytes = 512LL << 20, .output_bytes = 64LL << 20,
    .file_bytes = 64LL << 20, .stack_bytes = 256LL << 20, .processes = 64, .open_files = 256, .program_cpu = -1,
    .sampler_cpu = -1, .uid = -1, .gid = -1, .peak_fd = -1, .events_fd = -1, .usage_fd = -1, .stat_fd = -1, .cpu_fd = -1,
    .last_pid_fd = -1, .directory = NULL,
};
static struct process table[MAX_PROCESSES];
static int table_end;  /* later slots were not used in this run */
static ns_t gone_cpu;  /* CPU time of processes that have ended, at the last sample of each */
static struct point trace[MAX_TRACE];
/* Our descriptors for reading and writing, and those that the program gets. */
static struct memory_files { int input, output, error, count, of_program[3]; } files, next_files, last_files = { .input = -1 };
static int trace_count, trace_stride, loadavg_fd, own_statm, oom_score_fd = -1, pmu_fd = -1, pmu_error;
static char own_oom_score[16];
static int fork_server = -1, server_end = -1; /* a socket; in the process that becomes the server, its other end */
static int64_t own_bytes = OWN_BYTES;
static long page_bytes, last_pid, own_peak_kib;
static bool isolated;
static char answers[64 * 1024];
static size_t answers_size;
static ns_t flushed_at;
static DIR *proc;
static int64_t known_files; /* bytes of files that the control group had cached at the last reading */
static struct stat untouched[MAX_WIPED];
/* The child writes these, since it shares our memory until execve; the kernel clears `child_alive` then. */
static volatile ns_t exec_at;
static volatile int exec_errno;
static char child_stack[64 * 1024] __attribute__((aligned(64)));
static int child_pid, child_alive;
enum { REST, STAY_AWAKE, LAUNCH };
static int order, launcher_tid; /* order: one of these, for the thread on the program's processor */

/* Cold code is kept apart, so that it is not resident: short programs inherit our resident set as their peak. */
#define RARE __attribute__((cold, noinline))

/* ---------------------------------------------------------------- failures of the supervisor */

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "venus-supervisor: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    _exit(3);
}

static ns_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ---------------------------------------------------------------- denied system calls */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "add the audit architecture of this processor"
#endif

static const int denied[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_bpf, SYS_userfaultfd,
    SYS_keyctl, SYS_add_key, SYS_request_key, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare,
    SYS_reboot, SYS_swapon, SYS_swapoff, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_syslog,
    SYS_acct, SYS_quotactl, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_shmget, SYS_shmat, SYS_shmctl,
    SYS_msgget, SYS_msgctl, SYS_semget, SYS_semctl, SYS_mq_open, SYS_fsopen, SYS_fsmount, SYS_open_tree, SYS_move_mount,
    SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_pidfd_getfd, SYS_fanotify_init, SYS_personality,
    SYS_fspick, 442 /* mount_setattr */, 443 /* quotactl_fd */, 467 /* open_tree_attr */,
    /* Memory that is not charged to a control group, and limits that a user or the whole machine shares. */
    SYS_io_setup, SYS_inotify_init1, SYS_mbind, SYS_set_mempolicy, SYS_migrate_pages, SYS_move_pages,
    450 /* set_mempolicy_home_node */, SYS_sync, SYS_syncfs,
    /* Scheduling, including a move to the sampler's processor: see `pass`. */
    SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
    /* Channels between runs: time stamps of devices, and the page cache. */
    SYS_utimensat, SYS_fadvise64, SYS_mincore, 451 /* cachestat */,
#if defined(__x86_64__)
    SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init, SYS_modify_ldt,
#endif
    SYS_vmsplice,
};

/* Denied for other processes of the same user, such as ours: process 1 and its second thread. The growing numbers of
 * pidfd_open would reveal the number of processes since our start. */
static const int on_process[] = { SYS_prlimit64, SYS_sched_getaffinity, SYS_pidfd_open };

/* Denied if an argument has one of these bits: reading the page cache, and memory outside resident sets. */
static const struct { int number, argument; uint32_t bits; } with_bits[] = {
    { SYS_preadv2, 5, 8 /* RWF_NOWAIT */ }, { SYS_pwritev2, 5, 8 }, { SYS_mmap, 3, 0x40000 /* MAP_HUGETLB */ },
    { SYS_memfd_create, 1, 4 /* MFD_HUGETLB */ },
};

/* Denied if an argument has one of these values: clocks of process 1, which reveal earlier runs; larger pipes; names of
 * memory, which are not charged; and core scheduling, which would keep the sampler off a sibling processor. */
static const struct { int number, argument; uint32_t value; } with_value[] = {
    { SYS_clock_gettime, 0, (uint32_t)-16 }, { SYS_clock_gettime, 0, (uint32_t)-15 }, { SYS_clock_gettime, 0, (uint32_t)-14 },
    { SYS_timer_create, 0, (uint32_t)-16 }, { SYS_timer_create, 0, (uint32_t)-15 }, { SYS_timer_create, 0, (uint32_t)-14 },
    { SYS_clock_nanosleep, 0, (uint32_t)-16 }, { SYS_clock_nanosleep, 0, (uint32_t)-15 }, { SYS_clock_nanosleep, 0, (uint32_t)-14 },
    { SYS_fcntl, 1, 1031 /* F_SETPIPE_SZ */ }, { SYS_prctl, 0, 62 /* PR_SCHED_CORE */ },
    { SYS_prctl, 0, 0x53564d41 /* PR_SET_VMA */ },
};

/* The last system call in docs/security.md: newer ones return ENOSYS, as on an older kernel. */
#define LAST_SYSTEM_CALL 469

/* Where clone has the argument that the kernel ignores without CLONE_SETTLS. */
#if defined(__x86_64__)
#define TLS_ARGUMENT 4
#else
#define TLS_ARGUMENT 3
#endif

/* Denied without a control group, because their memory would not be counted. */
static const int unaccounted[] = { SYS_splice, SYS_tee };

static int add(struct sock_filter *code, int at, uint16_t op, uint32_t k, uint8_t yes, uint8_t no)
{
    code[at] = (struct sock_filter)BPF_JUMP(op, k, yes, no);
    return at + 1;
}

/* The filter also applies to us, but we need some calls that programs may not use. These require a secret number in an
 * argument that the kernel ignores, such as the sixth. */
static uint64_t pass, entry; /* entry: for a fork server, whose copies are programs */

static int demand(uint64_t secret, struct sock_filter *code, int n, int argument)
{
    const uint16_t load = BPF_LD | BPF_W | BPF_ABS, same = BPF_JMP | BPF_JEQ | BPF_K, give = BPF_RET | BPF_K;
    const uint32_t place = offsetof(struct seccomp_data, args) + 8 * argument;
    n = add(code, n, load, place, 0, 0);
    n = add(code, n, same, (uint32_t)secret, 0, 3);
    n = add(code, n, load, place + 4, 0, 0);
    n = add(code, n, same, (uint32_t)(secret >> 32), 0, 1);
    n = add(code, n, give, SECCOMP_RET_ALLOW, 0, 0);
    return add(code, n, give, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

static int deny_without(uint64_t secret, struct sock_filter *code, int n, int number)
{
    n = add(code, n, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 6);
    return demand(secret, code, n, 5);
}
static const struct { int number; uint32_t one_process; } on_several[] = { { SYS_setpriority, PRIO_PROCESS }, { SYS_ioprio_set, 1 } };

static int deny(struct sock_filter *code, int n, const int *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        n = add(code, n, BPF_JMP | BPF_JEQ | BPF_K, numbers[i], 0, 1);
        n = add(code, n, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    }
    return n;
}

/* Denies a call if the test `op` of an argument is true; the code after it loads the number of the call again. */
static int deny_where(struct sock_filter *code, int n, int number, int argument, uint16_t op, uint32_t value)
{
    n = add(code, n, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    n = add(code, n, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument, 0, 0);
    n = add(code, n, BPF_JMP | op | BPF_K, value, 0, 1);
    n = add(code, n, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    return add(code, n, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

/* Denied calls return EPERM, calls of another system call table kill the program, and clone3 returns ENOSYS (its flags are
 * in memory, which a filter cannot read; libc falls back to clone). clone may not make namespaces, nor a process that
 * shares an address space without suspending its parent as vfork does: it could remove the pages of a sleeping process.
 * Only Unix sockets are allowed: control groups of version 1 do not count data in TCP sockets, and a network namespace does
 * not stop AF_VSOCK. Returns the length. */
static int write_filter(struct sock_filter *code)
{
    const uint16_t load = BPF_LD | BPF_W | BPF_ABS, same = BPF_JMP | BPF_JEQ | BPF_K, give = BPF_RET | BPF_K;
    const uint32_t eperm = SECCOMP_RET_ERRNO | EPERM, enosys = SECCOMP_RET_ERRNO | ENOSYS;
    const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    int n = 0;
    n = add(code, n, load, offsetof(struct seccomp_data, arch), 0, 0);
    n = add(code, n, same, ARCHITECTURE, 1, 0);
    n = add(code, n, give, SECCOMP_RET_KILL_PROCESS, 0, 0);
    n = add(code, n, load, offsetof(struct seccomp_data, nr), 0, 0);
#if defined(__x86_64__)
    n = add(code, n, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* the x32 table */
    n = add(code, n, give, SECCOMP_RET_KILL_PROCESS, 0, 0);
#endif
    n = add(code, n, BPF_JMP | BPF_JGT | BPF_K, LAST_SYSTEM_CALL, 0, 1);
    n = add(code, n, give, enosys, 0, 0);
    n = deny(code, n, denied, sizeof denied / sizeof *denied);
    n = deny_without(pass, code, n, SYS_sched_setaffinity);
    n = deny_without(pass, code, n, SYS_perf_event_open);
    n = opt.fork_server ? deny_without(entry, code, n, SYS_setns) : deny(code, n, (const int[]){ SYS_setns }, 1);
    if (opt.usage_fd < 0) {
        n = deny(code, n, unaccounted, sizeof unaccounted / sizeof *unaccounted);
        n = deny_without(pass, code, n, SYS_memfd_create);
    }
    for (size_t i = 0; i < sizeof with_bits / sizeof *with_bits; i++)
        n = deny_where(code, n, with_bits[i].number, with_bits[i].argument, BPF_JSET, with_bits[i].bits);
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
        n = deny_where(code, n, with_value[i].number, with_value[i].argument, BPF_JEQ, with_value[i].value);
    n = add(code, n, same, SYS_clone3, 0, 1);
    n = add(code, n, give, enosys, 0, 0);
    n = add(code, n, same, SYS_clone, 0, 13);
    n = add(code, n, load, offsetof(struct seccomp_data, args[0]), 0, 0);
    n = add(code, n, BPF_JMP | BPF_JSET | BPF_K, namespaces, 0, 1);
    n = add(code, n, give, eperm, 0, 0);
    n = add(code, n, BPF_ALU | BPF_AND | BPF_K, CLONE_VM | CLONE_THREAD | CLONE_VFORK | CLONE_SETTLS, 0, 0);
    n = add(code, n, same, CLONE_VM, 1, 0);
    n = add(code, n, same, CLONE_VM | CLONE_SETTLS, 5, 6);
    n = demand(pass, code, n, TLS_ARGUMENT);
    n = add(code, n, give, SECCOMP_RET_ALLOW, 0, 0);
    for (size_t i = 0; i < sizeof on_process / sizeof *on_process; i++) {
        n = add(code, n, same, on_process[i], 0, 5);
        n = add(code, n, load, offsetof(struct seccomp_data, args[0]), 0, 0);
        n = add(code, n, same, 1, 1, 0);
        n = add(code, n, same, launcher_tid, 0, 1);
        n = add(code, n, give, eperm, 0, 0);
        n = add(code, n, give, SECCOMP_RET_ALLOW, 0, 0);
    }
    for (size_t i = 0; i < sizeof on_several / sizeof *on_several; i++) {
        n = add(code, n, same, on_several[i].number, 0, 8);
        n = add(code, n, load, offsetof(struct seccomp_data, args[0]), 0, 0);
        n = add(code, n, same, on_several[i].one_process, 1, 0);
        n = add(code, n, give, eperm, 0, 0);
        n = add(code, n, load, offsetof(struct seccomp_data, args[1]), 0, 0);
        n = add(code, n, same, 1, 1, 0);
        n = add(code, n, same, launcher_tid, 0, 1);
        n = add(code, n, give, eperm, 0, 0);
        n = add(code, n, give, SECCOMP_RET_ALLOW, 0, 0);
    }
    n = add(code, n, same, SYS_socket, 1, 0);
    n = add(code, n, same, SYS_socketpair, 0, 3);
    n = add(code, n, load, offsetof(struct seccomp_data, args[0]), 0, 0);
    n = add(code, n, same, 1 /* AF_UNIX */, 1, 0);
    n = add(code, n, give, SECCOMP_RET_ERRNO | EAFNOSUPPORT, 0, 0);
    return add(code, n, give, SECCOMP_RET_ALLOW, 0, 0);
}

static void install_filter(void)
{
    static struct sock_filter code[512];
    struct sock_fprog program = { .len = (unsigned short)write_filter(code), .filter = code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC /* the launcher, too */, &program))
        fail("cannot install the system call filter: %s", strerror(errno));
}

/* ---------------------------------------------------------------- our own namespace */

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return written;
}

static bool enter_namespaces(void)
{
    uid_t uid = getuid();
    gid_t gid = getgid();
    if (!unshare(CLONE_NEWPID | CLONE_NEWNS))
        return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
        return false;
    char map[64];
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    write_text("/proc/self/setgroups", "deny");
    bool mapped = write_text("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    return write_text("/proc/self/gid_map", map) && mapped;
}

/* The parent stays outside and only waits; the child returns as process 1 with its own /proc. */
static void become_init(void)
{
    pid_t before = getpid();
    if (!enter_namespaces())
        return;
    pid_t child = fork();
    if (child < 0)
        return;
    if (child > 0) {
        int status;
        close(0);
        close(1);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != 0 && getppid() != before)
        _exit(3); /* the parent died before PR_SET_PDEATHSIG */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
        fail("cannot mount a private /proc: %s", strerror(errno));
}

/* Passes one capability on through execve, for any user. */
RARE static bool hand_on(int capability)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };
    struct __user_cap_data_struct *half = &sets[CAP_TO_INDEX(capability)];
    half->effective = half->permitted = half->inheritable = CAP_TO_MASK(capability);
    return !syscall(SYS_capset, &header, sets) && !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
}

static void give_up(int capability)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    bool read = !syscall(SYS_capget, &header, sets);
    struct __user_cap_data_struct *half = &sets[CAP_TO_INDEX(capability)];
    half->effective &= ~CAP_TO_MASK(capability);
    half->permitted &= ~CAP_TO_MASK(capability);
    half->inheritable &= ~CAP_TO_MASK(capability);
    if (!read || syscall(SYS_capset, &header, sets))
        fail("cannot give up a capability: %s", strerror(errno));
}

/* Programs see only their own processes in /proc: the supervisor's would reveal earlier runs. We, in group 0 or as the
 * same user, still see theirs. Kernels before 5.8 cannot do this for a single mount. Programs cannot write to /proc, either:
 * we open our own files through a detached copy of the mount. */
static void hide_from_programs(void)
{
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    mount(NULL, "/proc", NULL, MS_REMOUNT | flags, "hidepid=2");
    int copy = syscall(SYS_open_tree, AT_FDCWD, "/proc", 1 /* OPEN_TREE_CLONE */ | O_CLOEXEC);
    if (copy >= 0) {
        if (opt.last_pid_fd >= 0) {
            close(opt.last_pid_fd);
            opt.last_pid_fd = openat(copy, "sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
        }
        if (oom_score_fd < 0)
            oom_score_fd = openat(copy, "self/oom_score_adj", O_RDWR | O_CLOEXEC);
        close(copy);
        if (mount(NULL, "/proc", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, NULL))
            fail("cannot make /proc read-only: %s", strerror(errno));
    }
    give_up(CAP_SYS_ADMIN);
}

/* ---------------------------------------------------------------- processes of the run */

/* The part of /proc/.../stat after the name of a process or thread: its state, a letter, and its parent; NULL if it is gone. */
static const char *behind_name(const char *path)
{
    static char text[512];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return NULL;
    text[n] = 0;
    char *name_end = strrchr(text, ')'); /* a name may contain anything, including parentheses */
    return name_end && name_end[1] ? name_end + 2 : NULL;
}

static pid_t parent_of(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const char *found = behind_name(path);
    int parent = -1;
    if (found)
        sscanf(found, "%*c %d", &parent);
    return parent;
}

static bool belongs(pid_t pid)
{
    if (isolated)
        return pid != 1;
    for (int depth = 0; pid > 1 && depth < 10000; depth++) {
        pid = parent_of(pid);
        if (pid == getpid())
            return true;
    }
    return false;
}

static void watch(pid_t pid)
{
    char path[64];
    for (int i = 0; i < table_end; i++)
        if (table[i].pid == pid)
            return;
    for (int i = 0; i < MAX_PROCESSES; i++) {
        if (table[i].pid)
            continue;
        snprintf(path, sizeof path, "/proc/%d/statm", pid);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            table[i] = (struct process){ .pid = pid, .parent = table_end ? parent_of(pid) : 0, .statm = fd };
        if (i >= table_end)
            table_end = i + 1;
        return;
    }
}

static void unwatch(struct process *p)
{
    close(p->statm);
    gone_cpu += p->cpu;
    *p = (struct process){ 0 };
}

static void find_processes(void)
{
    struct dirent *entry;
    rewinddir(proc);
    while ((entry = readdir(proc))) {
        pid_t pid = atoi(entry->d_name);
        if (pid > 0 && belongs(pid))
            watch(pid);
    }
}

static void kill_everybody(void)
{
    struct dirent *entry;
    if (isolated) {
        kill(-1, SIGKILL);
        return;
    }
    rewinddir(proc);
    while ((entry = readdir(proc))) {
        pid_t pid = atoi(entry->d_name);
        if (pid > 0 && belongs(pid))
            kill(pid, SIGKILL);
    }
}

/* Whether a PID was assigned since the last check. */
static bool processes_changed(void)
{
    char text[128];
    ssize_t n = pread(loadavg_fd, text, sizeof text - 1, 0);
    if (n <= 0)
        return true;
    text[n] = 0;
    char *last = strrchr(text, ' ');
    long pid = last ? atol(last) : 0;
    bool changed = pid != last_pid;
    last_pid = pid;
    return changed;
}

/* ---------------------------------------------------------------- samples */

/* The resident pages of a process; in `shared` those of files and shared memory. */
static uint64_t resident_pages(int statm, uint64_t *shared)
{
    char text[96], *at;
    ssize_t n = pread(statm, text, sizeof text - 1, 0);
    if (n <= 0)
        return 0;
    text[n] = 0;
    at = strchr(text, ' ');
    uint64_t pages = at ? strtoull(at, &at, 10) : 0;
    if (shared)
        *shared = at ? strtoull(at, NULL, 10) : 0;
    return pages;
}

/* /proc/PID/status; empty if the process is gone. */
static const char *read_status(pid_t pid)
{
    static char text[4096];
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return text;
}

/* The number after a word; 0 if there is none. */
static int64_t number_after(const char *text, const char *word)
{
    const char *found = strstr(text, word);
    return found ? atoll(found + strlen(word)) : 0;
}

/* A thread-group leader that has exited shows no memory although its threads are alive, so read one of them. A thread that
 * calls execve becomes the leader. */
static uint64_t adopt_thread(struct process *p, uint64_t *shared)
{
    char path[64 + sizeof((struct dirent *)0)->d_name];
    snprintf(path, sizeof path, "/proc/%d/task", p->pid);
    DIR *tasks = opendir(path);
    uint64_t pages = 0;
    struct dirent *entry;
    while (tasks && !pages && (entry = readdir(tasks))) {
        if (atoi(entry->d_name) <= 0)
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/statm", p->pid, entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        pages = fd < 0 ? 0 : resident_pages(fd, shared);
        if (pages) {
            close(p->statm);
            p->statm = fd;
        } else if (fd >= 0)
            close(fd);
    }
    if (tasks)
        closedir(tasks);
    return pages;
}

static uint64_t read_process(struct process *p, struct run *run, ns_t at)
{
    uint64_t shared = 0, pages = resident_pages(p->statm, &shared);
    int64_t highest = 0;
    bool lives = false, threads = false;
    if (!pages && !p->gone_at) {
        /* It may be exiting and have no address space, or it may be alive and have lost its pages to another process; then
         * it will get new ones. */
        const char *status = read_status(p->pid);
        lives = number_after(status, "\nVmSize:") > 0;
        threads = number_after(status, "\nThreads:") > 1;
        highest = number_after(status, "\nVmHWM:") * 1024;
        if (lives || threads)
            pages = adopt_thread(p, &shared);
    }
    if (pages) {
        p->gone_at = 0;
        p->private = (pages - shared) * page_bytes;
        return p->rss = pages * page_bytes;
    }
    if (p->gone_at)
        return p->rss;
    lives = lives && number_after(read_status(p->pid), "\nVmSize:") > 0; /* it has not just ended */
    run->vanished |= lives && highest > SLACK; /* the kernel may count smaller amounts late */
    /* Short-lived threads may still share the memory; the control group counts its private part. */
    if (lives || threads) {
        if (opt.usage_fd >= 0) {
            p->rss -= p->private;
            p->private = 0;
        }
        return p->rss;
    }
    p->private = 0;
    if (p->pid != run->pid) {
        unwatch(p);
        return 0;
    }
    p->gone_at = at;
    return p->rss;
}

/* Whether a thread of a process is in this state: R if it runs or waits for a processor, D if it waits in the kernel, such
 * as for a child of vfork. */
static bool has_thread(pid_t pid, char state)
{
    char path[64 + sizeof((struct dirent *)0)->d_name];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    struct dirent *entry;
    while (tasks && !found && (entry = readdir(tasks))) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", pid, entry->d_name);
        const char *stat = atoi(entry->d_name) > 0 ? behind_name(path) : NULL;
        found = stat && *stat == state;
    }
    if (tasks)
        closedir(tasks);
    return found;
}

/* Whether a process waits for a vfork child with the same address space: then both have the same size. A child that took
 * as much memory as its parent looks the same, but then the control group counts the part that is left out here. */
static bool lends(const struct process *p)
{
    for (int i = 0; i < table_end; i++)
        if (table[i].pid && table[i].parent == p->pid && table[i].rss == p->rss && table[i].private == p->private)
            return has_thread(p->pid, 'D');
    return false;
}

static void remember(ns_t at, uint64_t rss, int64_t index)
{
    if (!opt.trace || index % trace_stride)
        return;
    if (trace_count == MAX_TRACE) {
        for (int i = 0; i < MAX_TRACE / 2; i++)
            trace[i] = trace[2 * i];
        trace_count = MAX_TRACE / 2;
        trace_stride *= 2;
        if (index % trace_stride)
            return;
    }
    trace[trace_count++] = (struct point){ at, rss };
}

static void extend(struct run *run, ns_t at, uint64_t rss)
{
    ns_t gap = at - run->sampled_at;
    run->doubled_integral += (unsigned __int128)(run->rss + rss) * gap;
    if (gap > run->largest_gap)
        run->largest_gap = gap;
    run->sampled_at = at;
    run->rss = rss;
}

static int64_t read_number(int fd, const char *key)
{
    char text[1024];
    ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (n <= 0)
        return -1;
    text[n] = 0;
    char *found = key ? strstr(text, key) : text;
    return found ? atoll(found + (key ? strlen(key) : 0)) : -1;
}

/* Bytes of cached files, without those in memory file systems, charged to the control group; the words are those of
 * versions 1 and 2. */
static int64_t cached_files(void)
{
    int64_t cached = read_number(opt.stat_fd, "cache ");
    if (cached < 0)
        cached = read_number(opt.stat_fd, "file ");
    return cached - read_number(opt.stat_fd, "shmem ");
}

/* The size of a memory file in memory. */
static int64_t file_memory(int fd)
{
    struct stat s;
    return fstat(fd, &s) ? 0 : 512 * s.st_blocks;
}

/* Outputs are charged to the control group but are not memory of the program, which cannot read them. */
static int64_t output_memory(void)
{
    return file_memory(files.output) + file_memory(files.error) + (opt.count ? file_memory(files.count) : 0);
}

/* Bytes charged to the control group outside resident sets that are not memory of the program: files read for the first
 * time, and the kernel's own data on processes. Mapped shared memory is in a resident set as well; as much of it as the
 * input is long may be the input, which was charged before the run. */
static int64_t explained_bytes(struct run *run, uint64_t resident)
{
    int64_t grown = cached_files() - run->files, input = file_memory(files.input);
    int64_t sum = (grown > 0 ? grown : 0) + (int64_t)(resident / TABLES_SHARE);
    for (int i = 0; i < table_end; i++) {
        if (!table[i].pid)
            continue;
        const char *status = read_status(table[i].pid);
        int64_t mapped = number_after(status, "\nRssShmem:") * 1024 - input;
        sum += (i ? CHILD_BYTES : PROCESS_BYTES) + number_after(status, "\nThreads:") * THREAD_BYTES + (mapped > 0 ? mapped : 0);
    }
    return sum;
}

/* Bytes in the writable folders, which are in memory. */
static uint64_t folder_bytes(void)
{
    uint64_t sum = 0;
    struct statfs of;
    for (int i = 0; i < opt.wiped_count; i++)
        if (!statfs(opt.wiped[i], &of) && of.f_type == TMPFS_MAGIC)
            sum += (of.f_blocks - of.f_bfree) * of.f_bsize;
    return sum;
}

/* Memory of the program outside resident sets: unmapped memory files, files in memory file systems, data in pipes and
 * sockets. */
static uint64_t unmapped_bytes(struct run *run, uint64_t resident, uint64_t private, ns_t at)
{
    if (opt.usage_fd < 0)
        return folder_bytes();
    int64_t usage = read_number(opt.usage_fd, NULL);
    int64_t rest = usage - run->usage - (int64_t)private - output_memory();
    if (usage < 0 || rest <= SLACK)
        return 0;
    if (at - run->explained_at >= MS) { /* too slow for every sample */
        run->explained = explained_bytes(run, resident);
        run->explained_at = at;
    }
    rest -= run->explained;
    return rest > SLACK ? rest : 0;
}

static void sample(struct run *run)
{
    ns_t at = now();
    uint64_t total = 0, private = 0;
    int live = 0;
    for (int i = 0; i < table_end; i++)
        if (table[i].pid) {
            total += read_process(&table[i], run, at);
            private += table[i].private;
            live += table[i].pid != 0;
        }
    for (int i = 0; opt.usage_fd >= 0 && live > 1 && i < table_end; i++)
        if (table[i].pid && lends(&table[i])) {
            total -= table[i].rss;
            private -= table[i].private;
        }
    if (!total)
        return;
    if (live != 1 || !table[0].gone_at) /* memory that is still charged after a process has ended is not its own */
        total += unmapped_bytes(run, total, private, at);
    extend(run, at, total);
    remember(at - run->started_at, total, run->samples);
    run->samples++;
    if (total > run->sampled_peak)
        run->sampled_peak = total;
    if (live > run->most_live)
        run->most_live = live;
    run->live = live;
}

/* Did a program that exceeds its wall time sleep, or wait for a processor? Neither CPU time nor the number of interruptions
 * shows it: on a busy machine the kernel may let a process wait for seconds. So its state is checked, rarely. */
static void look_at_states(struct run *run)
{
    ns_t at = now();
    if (at - run->looked_at < opt.wall_ns / LOOKS)
        return;
    bool runs = false;
    for (int i = 0; i < table_end && !runs; i++)
        runs = table[i].pid && has_thread(table[i].pid, 'R');
    if (runs)
        run->runnable += at - run->looked_at;
    run->looked_at = at;
}

/* ---------------------------------------------------------------- limits */

/* CPU time of a process by the kernel's scheduler, in ns. */
static ns_t own_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* CPU time of the control group in ns, or -1. Version 2 has it in microseconds, among other values. */
static ns_t group_cpu(void)
{
    static bool plain; /* version 1: the file is one number, in ns */
    int64_t us = plain ? -1 : read_number(opt.cpu_fd, "usage_usec ");
    if (us >= 0)
        return 1000 * us;
    ns_t ns = read_number(opt.cpu_fd, NULL);
    plain = ns >= 0;
    return ns;
}

/* CPU time of the run according to its control group, including processes that were not waited for, without our own time
 * in the same group. Our clock is read first, which updates that of the group. */
static ns_t group_cpu_used(struct run *run)
{
    ns_t own = own_cpu(), group = group_cpu();
    return group < 0 || run->group_cpu < 0 ? -1 : group - run->group_cpu - (own - run->own_cpu);
}

static ns_t cpu_used(struct run *run)
{
    ns_t total = gone_cpu, group = group_cpu_used(run);
    for (int i = 0; i < table_end; i++) {
        struct timespec t;
        if (table[i].pid && !clock_gettime((clockid_t)(~(unsigned)table[i].pid << 3 | 2), &t))
            table[i].cpu = t.tv_sec * 1000000000LL + t.tv_nsec;
        total += table[i].cpu;
    }
    return total > group ? total : group;
}

static int64_t file_bytes(int fd)
{
    struct stat s;
    return fstat(fd, &s) ? 0 : s.st_size;
}

static const char *limit_hit(struct run *run, bool thorough)
{
    if (now() - run->started_at > opt.wall_ns)
        return "wall";
    if ((int64_t)run->rss > opt.memory_bytes)
        return "memory";
    if (!thorough)
        return NULL;
    if (file_bytes(files.output) > opt.output_bytes || file_bytes(files.error) > opt.output_bytes)
        return "output";
    return cpu_used(run) > opt.cpu_ns ? "cpu" : NULL;
}

static void limit(int what, int64_t value)
{
    struct rlimit bound = { (rlim_t)value, (rlim_t)value };
    syscall(SYS_prlimit64, 0, what, &bound, NULL);
}

/* ---------------------------------------------------------------- one run */

static void set_affinity(const cpu_set_t *set)
{
    syscall(SYS_sched_setaffinity, 0, sizeof *set, set, 0L, 0L, pass);
}

static void pin(int cpu)
{
    cpu_set_t set;
    if (cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    set_affinity(&set);
}

/* Runs between clone and execve in our memory, so it may only use system calls. */
static int become_program(void *environment)
{
    syscall(SYS_setsid);
    pin(opt.program_cpu);
    limit(RLIMIT_CORE, 1); /* too small for any file; unlike 0, it also disables the machine's core handler */
    limit(RLIMIT_CPU, opt.cpu_ns / 1000000000LL + 1);
    limit(RLIMIT_NOFILE, opt.open_files);
    limit(RLIMIT_FSIZE, opt.file_bytes > opt.output_bytes ? opt.file_bytes : (int64_t)((uint64_t)opt.output_bytes + page_bytes));
    limit(RLIMIT_STACK, opt.stack_bytes);
    limit(RLIMIT_MEMLOCK, 0);
    limit(RLIMIT_MSGQUEUE, 0);
    for (int fd = 0; fd < 3; fd++)
        dup2(files.of_program[fd], fd);
    if (opt.count && dup2(files.count, COUNT_FD) < 0)
        goto broken;
    if (server_end >= 0 && dup2(server_end, FORK_FD) < 0)
        goto broken;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (opt.directory && chdir(opt.directory))
        goto broken;
    if (opt.gid >= 0 && (syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresgid, opt.gid, opt.gid, opt.gid)))
        goto broken;
    limit(RLIMIT_NPROC, opt.processes);
    if (opt.uid >= 0 && syscall(SYS_setresuid, opt.uid, opt.uid, opt.uid))
        goto broken;
    if (server_end >= 0 && !hand_on(CAP_SYS_ADMIN)) /* until it has entered the namespace of the supervisor */
        goto broken;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    exec_at = now();
    execvpe(opt.argv[0], opt.argv, environment);
broken:
    exec_errno = errno;
    return 127;
}

/* Opens a memory file again, with its own position and flags, and for one direction only. */
static int reopened(int memory_file, int direction)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory_file);
    int fd = open(path, direction | O_CLOEXEC);
    if (fd < 0)
        fail("cannot reopen a memory file: %s", strerror(errno));
    return fd;
}

static int memory_file(const char *name, mode_t mode)
{
    int fd = syscall(SYS_memfd_create, name, (unsigned long)MFD_CLOEXEC, 0L, 0L, 0L, pass);
    if (fd < 0 || fchmod(fd, mode))
        fail("cannot make a memory file: %s", strerror(errno));
    return fd;
}

/* Each run has new files, since flags, attributes and times of a file would reach the next run. The program may only read
 * its input and only write its outputs: otherwise outputs would be uncounted memory. Writes are appended, as in a pipe,
 * even if a program opens /dev/stdout again. */
static struct memory_files new_files(void)
{
    int input = memory_file("stdin", 0444), output = memory_file("stdout", 0222), error = memory_file("stderr", 0222);
    int count = opt.count ? memory_file("count", 0600) : -1;
    if (opt.count && ftruncate(count, COUNT_BYTES))
        fail("cannot make a memory file: %s", strerror(errno));
    const int at_end = O_WRONLY | O_APPEND;
    return (struct memory_files){
        input, output, error, count, { reopened(input, O_RDONLY), reopened(output, at_end), reopened(error, at_end) } };
}

static void close_files(struct memory_files *old)
{
    if (old->input < 0)
        return;
    close(old->input);
    close(old->output);
    close(old->error);
    if (old->count >= 0)
        close(old->count);
    old->input = -1;
}

/* The first PID of a run is always the same: growing numbers would reveal earlier runs. */
static void rewind_pids(void)
{
    if (opt.last_pid_fd >= 0 && pwrite(opt.last_pid_fd, "1", 1, 0) < 0) {
        close(opt.last_pid_fd);
        opt.last_pid_fd = -1;
    }
}

/* When memory runs out, the kernel must kill the program, not us. A child inherits the score of its parent. The score of a
 * non-dumpable process can only be written through a descriptor that was opened before it became so. So we change our own
 * for a moment, or that of the fork server, which would take us with it if it were killed. */
static void score_for_oom_killer(const char *score)
{
    if (oom_score_fd >= 0 && pwrite(oom_score_fd, score, strlen(score), 0) < 0)
        fail("cannot change our out-of-memory score to %s: %s", score, strerror(errno));
}

static void read_own_oom_score(void)
{
    if (oom_score_fd < 0)
        oom_score_fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    if (oom_score_fd >= 0 && pread(oom_score_fd, own_oom_score, sizeof own_oom_score - 1, 0) <= 0)
        fail("cannot read our out-of-memory score: %s", strerror(errno));
}

static void wait_while(int *word, int value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* For AddressSanitizer: a child that left by execve has not unpoisoned its frames. */
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *start, size_t size);

static void launch(int flags)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(child_stack, sizeof child_stack);
    if (clone(become_program, child_stack + sizeof child_stack, CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD | flags,
              environ, &child_pid, (void *)pass, &child_alive) >= 0)
        return;
    exec_errno = errno;
    child_pid = -1;
    __atomic_store_n(&child_alive, 0, __ATOMIC_RELEASE);
}

static void give_order(int what)
{
    __atomic_store_n(&order, what, __ATOMIC_RELEASE);
    syscall(SYS_futex, &order, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool apart(void)
{
    return opt.program_cpu >= 0 && opt.sampler_cpu >= 0 && opt.program_cpu != opt.sampler_cpu;
}

static void *launcher(void *unused)
{
    (void)unused;
    pin(opt.program_cpu); /* always, so that its affinity reveals no more than the program's */
    __atomic_store_n(&launcher_tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    for (;;) {
        int what = __atomic_load_n(&order, __ATOMIC_ACQUIRE);
        for (ns_t until = now() + AWAKE; what == STAY_AWAKE && now() < until; sched_yield())
            what = __atomic_load_n(&order, __ATOMIC_ACQUIRE);
        if (what != LAUNCH) {
            wait_while(&order, what);
            continue;
        }
        __atomic_store_n(&order, REST, __ATOMIC_RELEASE);
        launch(0);
    }
    return NULL;
}

/* Also started if unused, so that process numbers do not reveal how a run is measured. */
static void start_launcher(void)
{
    pthread_t thread;
    rewind_pids();
    if ((errno = pthread_create(&thread, NULL, launcher, NULL)))
        fail("cannot start a thread: %s", strerror(errno));
    while (!__atomic_load_n(&launcher_tid, __ATOMIC_ACQUIRE))
        sched_yield();
    if (fork_server >= 0 && launcher_tid != FIRST_NUMBER)
        fail("the fork server has a filter for another number than %d", launcher_tid);
}

/* Starts the child, and returns after it has left our memory. */
static void make_child(void)
{
    child_alive = 1;
    if (!apart()) {
        launch(CLONE_VFORK);
        return;
    }
    give_order(LAUNCH);
    for (ns_t until = now() + AWAKE; __atomic_load_n(&child_alive, __ATOMIC_ACQUIRE); sched_yield())
        if (now() > until)
            wait_while(&child_alive, 1);
}

/* ---------------------------------------------------------------- fork server */

/* The next reply of the server or its child; -1: it is gone. */
RARE static int heard(void)
{
    int said = -1;
    ssize_t n;
    do
        n = recv(fork_server, &said, sizeof said, 0);
    while (n < 0 && errno == EINTR);
    return n == sizeof said ? said : -1;
}

/* Sends a message with descriptors to the server. */
RARE static bool tell(const void *data, size_t size, const int *handed, size_t count)
{
    union { struct cmsghdr header; char bytes[CMSG_SPACE(FORK_FILES * sizeof(int))]; } control = {
        .header = { .cmsg_len = CMSG_LEN(count * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
    struct iovec part = { (void *)data, size };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(count * sizeof(int)) };
    memcpy(CMSG_DATA(&control.header), handed, count * sizeof(int));
    return sendmsg(fork_server, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

/* The process that becomes the server. A process whose children are born in another namespace cannot have threads, which
 * the emulator needs, so it enters that namespace later (counter.c) and then drops its capability. */
RARE static void become_fork_server(int home, int end)
{
    launcher_tid = FIRST_NUMBER;
    files = new_files();
    server_end = fcntl(end, F_DUPFD_CLOEXEC, FORK_FD + 1);
    if (!setns(home, CLONE_NEWPID) && !prctl(PR_SET_KEEPCAPS, 1)) {
        if (opt.seccomp)
            install_filter();
        become_program(environ);
    }
    fail("cannot start the fork server %s: %s", opt.argv[0], strerror(errno));
}

/* Forks: the child returns as process 1 of a new namespace, the parent becomes the server. */
RARE static void start_fork_server(void)
{
    int pair[2], home = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    if (home < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) || unshare(CLONE_NEWPID))
        fail("cannot make a PID namespace: %s", strerror(errno));
    oom_score_fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC); /* of the server, whose children are the programs */
    pid_t child = fork();
    if (child < 0)
        fail("cannot fork: %s", strerror(errno));
    if (child)
        become_fork_server(home, pair[1]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Our parent's parent may not signal the user of the server, so its death kills neither the server nor us. */
    opt.attended = true;
    close(pair[1]);
    close(home);
    fork_server = pair[0];
    struct rlimit room; /* for files in messages, which the kernel limits for each user, who may be that of programs */
    if (!getrlimit(RLIMIT_NOFILE, &room)) {
        room.rlim_cur = room.rlim_max;
        setrlimit(RLIMIT_NOFILE, &room);
    }
    int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    bool able = heard() == 1 && tell(&entry, sizeof entry, &own, 1) && heard() == 1;
    close(own);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
        fail("cannot mount a private /proc: %s", strerror(errno));
    int64_t usage = read_number(opt.usage_fd, NULL);
    if (usage >= 0)
        own_bytes += usage - cached_files();
    if (!able) {
        /* Not closed: the server ends with its socket, but must live on, since our namespace is inside its own. */
        fork_server = -1;
        close(oom_score_fd);
        oom_score_fd = -1;
    }
}

/* Has the server fork a process with the files of the run, which is our child when this returns. */
RARE static void fork_child(void)
{
    const int handed[FORK_FILES] = { files.of_program[0], files.of_program[1], files.of_program[2], files.count };
    errno = 0;
    child_pid = tell("", 1, handed, FORK_FILES) ? heard() : -1;
    if (child_pid <= 0 || heard() <= 0)
        fail("the fork server cannot start a process: %s", strerror(errno ? errno : EAGAIN));
    exec_at = now();
}

static void spawn(struct run *run)
{
    long own_kib = resident_pages(own_statm, NULL) * page_bytes / 1024 + 128; /* counters lag by some pages per processor */
    if (own_kib > own_peak_kib)
        own_peak_kib = own_kib;
    exec_errno = 0;
    exec_at = 0;
    score_for_oom_killer("1000");
    rewind_pids();
    if (fork_server >= 0)
        fork_child();
    else
        make_child();
    run->pid = child_pid;
    if (run->pid < 0)
        fail("cannot start a process: %s", strerror(exec_errno));
    if (exec_errno)
        fail("cannot execute %s: %s", opt.argv[0], strerror(exec_errno));
    run->started_at = run->sampled_at = run->looked_at = exec_at;
    run->pidfd = syscall(SYS_pidfd_open, run->pid, 0);
    if (run->pidfd < 0)
        fail("cannot open a pidfd: %s", strerror(errno));
    last_pid = run->pid; /* not that in /proc: the program may already have children */
    gone_cpu = 0;
    watch(run->pid);
}

/* Sleeps, or spins while samples are dense, until `until` or the exit; true when the program has exited. */
static bool exited_before(struct run *run, ns_t until, bool spinning)
{
    struct pollfd exit_event = { .fd = run->pidfd, .events = POLLIN };
    do {
        ns_t left = until - now();
        struct timespec t = { 0, 0 };
        if (!spinning && left > 0)
            t = (struct timespec){ left / 1000000000LL, left % 1000000000LL };
        if (ppoll(&exit_event, 1, &t, NULL) > 0)
            return true;
        if (spinning)
            sched_yield(); /* supervisors that share a core alternate; otherwise each would spin for milliseconds */
    } while (now() < until);
    return false;
}

/* Whether our client is gone. Our parent's death kills us, but not in a container or with a fork server (--attended). */
static bool left_alone(void)
{
    struct pollfd requests_pipe = { .fd = 0, .events = 0 };
    return opt.attended && poll(&requests_pipe, 1, 0) > 0 && requests_pipe.revents & (POLLHUP | POLLERR);
}

static void flush_some(void);

/* A random step of 0.5 to 1.5 steps, so that a program cannot free memory just before each sample. */
static ns_t jittered(ns_t step)
{
    static uint64_t state;
    while (!state)
        syscall(SYS_getrandom, &state, sizeof state, 0);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return step / 2 + (ns_t)(state % (uint64_t)(step > 0 ? step : 1));
}

static void follow(struct run *run)
{
    ns_t step = opt.spin_ns ? DENSE : 100000, checked_at = run->started_at, due;
    if (step > opt.interval_ns)
        step = opt.interval_ns;
    sample(run);
    /* Slow work that need not be done between two runs is done while the program runs. The score is not reset earlier,
     * because a child that has not yet left our memory would get it as well. */
    score_for_oom_killer(own_oom_score);
    for (int fd = 0; fd < 3; fd++)
        close(files.of_program[fd]);
    close_files(&last_files);
    next_files = new_files();
    due = now();
    for (;;) {
        ns_t at = now();
        bool spinning = at - run->started_at < opt.spin_ns;
        if (!spinning && step < opt.interval_ns)
            step = step + step / 8 < opt.interval_ns ? step + step / 8 : opt.interval_ns;
        due = due + step > at ? due + step : at; /* missed samples are not repeated */
        if (exited_before(run, due + jittered(step) - step, spinning))
            break;
        bool thorough = now() - checked_at >= MS;
        if (thorough) {
            checked_at = now();
            flush_some();
            if (processes_changed())
                find_processes();
            look_at_states(run);
            if (left_alone())
                _exit(0);
        }
        sample(run);
        run->limit = limit_hit(run, thorough);
        if (run->limit) {
            kill(run->pid, SIGKILL);
            exited_before(run, now() + 10000 * MS, false);
            break;
        }
    }
    run->ended_at = now();
}

static void add_usage(struct rusage *sum, const struct rusage *more)
{
    timeradd(&sum->ru_utime, &more->ru_utime, &sum->ru_utime);
    timeradd(&sum->ru_stime, &more->ru_stime, &sum->ru_stime);
    if (more->ru_maxrss > sum->ru_maxrss)
        sum->ru_maxrss = more->ru_maxrss;
    sum->ru_minflt += more->ru_minflt;
    sum->ru_majflt += more->ru_majflt;
    sum->ru_nvcsw += more->ru_nvcsw;
    sum->ru_nivcsw += more->ru_nivcsw;
}

/* Reaps the program, then all processes that it left, which are our children. */
static void end_everybody(struct run *run)
{
    struct rusage usage;
    int status;
    while (wait4(run->pid, &run->status, 0, &run->rusage) < 0 && errno == EINTR)
        ;
    for (;;) {
        pid_t pid = wait4(-1, &status, WNOHANG, &usage);
        if (pid < 0)
            break;
        if (pid == 0) {
            kill_everybody();
            struct timespec moment = { 0, 100000 };
            nanosleep(&moment, NULL);
            continue;
        }
        add_usage(&run->rusage, &usage);
        run->most_live = run->most_live > 2 ? run->most_live : 2;
    }
}

static void close_integral(struct run *run)
{
    uint64_t last = run->rss, gone = 0;
    ns_t gone_at = 0;
    for (int i = 0; i < table_end; i++)
        if (table[i].pid) {
            if (table[i].pid == run->pid) {
                gone_at = table[i].gone_at;
                gone = table[i].rss;
            }
            unwatch(&table[i]);
        }
    table_end = 0;
    if (!run->samples) { /* ended before the first sample: half of the high-water mark is the best estimate */
        last = (uint64_t)run->rusage.ru_maxrss * 1024;
        run->sampled_peak = last;
    }
    extend(run, run->ended_at, last);
    if (gone_at && gone_at < run->ended_at)
        run->doubled_integral -= (unsigned __int128)(gone < last ? gone : last) * (run->ended_at - gone_at);
    remember(run->ended_at - run->started_at, last, 0);
}

/* ---------------------------------------------------------------- cleanup after a run */

static bool empty_directory(int parent, const char *name, int depth, int *budget)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    bool clean = directory != NULL;
    struct dirent *entry;
    while (clean && (entry = readdir(directory))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (--*budget < 0)
            clean = false;
        else if (unlinkat(fd, entry->d_name, 0) && errno != ENOENT)
            clean = depth > 0 && empty_directory(fd, entry->d_name, depth - 1, budget)
                    && !unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    if (directory)
        closedir(directory);
    return clean;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Records the state of the writable folders before any program runs. It waits for the next tick of the clock, since times
 * do not show changes within the same tick. */
static void remember_folders(void)
{
    struct timespec tick;
    for (int i = 0; i < opt.wiped_count; i++)
        if (!stat(opt.wiped[i], &untouched[i])) /* a missing folder differs from any state */
            do
                clock_gettime(CLOCK_REALTIME_COARSE, &tick);
            while (same_time(tick, untouched[i].st_ctim) || same_time(tick, untouched[i].st_mtim));
}

/* Whether a program wrote to a folder or read it: its times and inode numbers would reveal that to the next run. */
static bool touched(int i)
{
    struct stat found;
    return stat(opt.wiped[i], &found) || !same_time(found.st_mtim, untouched[i].st_mtim)
           || !same_time(found.st_ctim, untouched[i].st_ctim) || !same_time(found.st_atim, untouched[i].st_atim);
}

/* Empties the folders; false if this session must end with its folders: files are left, or, with --untouched, a program
 * used the folders. */
static bool wipe(void)
{
    int budget = 10000;
    bool clean = true;
    for (int i = 0; i < opt.wiped_count; i++)
        if (!opt.untouched || touched(i))
            clean = empty_directory(AT_FDCWD, opt.wiped[i], 32, &budget) && !opt.untouched && clean;
    return clean;
}

/* ---------------------------------------------------------------- cgroup figures */

static void reset_peak(void)
{
    if (opt.peak_fd >= 0 && pwrite(opt.peak_fd, "0", 1, 0) < 0) {
        close(opt.peak_fd); /* memory.peak before Linux 6.12 cannot be reset, so it would be that of the whole session */
        opt.peak_fd = -1;
    }
}

/* ---------------------------------------------------------------- the record */

static void write_out(const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(1, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(0); /* the client is gone */
        data += n;
        size -= n;
    }
}

/* Answers are buffered while more requests wait: a client that wakes up for every short run would disturb the next. */
static void flush_answers(void)
{
    write_out(answers, answers_size);
    answers_size = 0;
    flushed_at = now();
}

/* Answers must not wait for a long run, and a slow client must not block the sampling. */
static void flush_some(void)
{
    struct pollfd room = { .fd = 1, .events = POLLOUT };
    if (!answers_size || now() - flushed_at < PATIENCE || poll(&room, 1, 0) <= 0)
        return;
    size_t size = answers_size < PIPE_BUF ? answers_size : PIPE_BUF; /* this size never blocks */
    write_out(answers, size);
    answers_size -= size;
    memmove(answers, answers + size, answers_size);
    if (!answers_size)
        flushed_at = now();
}

static void write_all(const char *data, size_t size)
{
    if (size > sizeof answers - answers_size)
        flush_answers();
    if (size > sizeof answers) {
        write_out(data, size);
        return;
    }
    memcpy(answers + answers_size, data, size);
    answers_size += size;
}

static void send_output(int fd, int64_t size)
{
    off_t at = 0;
    if (size <= (int64_t)(sizeof answers - answers_size)) {
        while (at < size) {
            ssize_t n = pread(fd, answers + answers_size, size - at, at);
            if (n <= 0)
                fail("cannot read an output: %s", strerror(errno));
            at += n;
            answers_size += n;
        }
        return;
    }
    flush_answers();
    while (at < size) {
        ssize_t n = sendfile(1, fd, &at, size - at);
        if (n <= 0 && errno != EINTR)
            _exit(0);
    }
}

static const char *quoted(const char *text)
{
    static char buffers[2][32];
    static int next;
    if (!text)
        return "null";
    char *buffer = buffers[next ^= 1];
    snprintf(buffer, sizeof *buffers, "\"%s\"", text);
    return buffer;
}

static const char *decimal(unsigned __int128 value)
{
    static char text[48];
    char *end = text + sizeof text - 1;
    do
        *--end = '0' + (int)(value % 10);
    while (value /= 10);
    return end;
}

/* The peak of memory in bytes, and its source. The control group includes allocations between two samples. */
static const char *decide_peak(struct run *run, uint64_t *peak)
{
    bool inherited = run->rusage.ru_maxrss <= own_peak_kib && run->samples >= PLENTY;
    const char *source = "rusage";
    *peak = inherited ? 0 : (uint64_t)run->rusage.ru_maxrss * 1024;
    if (run->sampled_peak > *peak) {
        *peak = run->sampled_peak;
        source = "samples";
    }
    int64_t group = run->group_peak - run->usage - run->output_memory - (int64_t)*peak / TABLES_SHARE - PROCESS_BYTES - CHILD_BYTES * (run->most_live - 1);
    if (run->group_peak > 0 && group > (int64_t)*peak + SLACK) {
        int64_t grown = cached_files() - run->files;
        group -= grown > 0 ? grown : 0;
        if (group > (int64_t)*peak + SLACK) {
            *peak = group;
            source = "cgroup";
        }
    }
    return source;
}

/* Two sources that contradict each other: such figures are unusable. */
static const char *disagreement(struct run *run, uint64_t peak, ns_t waited, ns_t group)
{
    if (group - waited > waited / 20 + 5 * MS)
        return "cpu";
    if (run->vanished || (run->samples >= PLENTY && (int64_t)(peak - run->sampled_peak) > (int64_t)peak / 10 + FILL_RATE * run->largest_gap))
        return "memory";
    /* Sampling was too slow, for instance with hundreds of processes: the error bound exceeds the integral. */
    if (run->largest_gap > BLIND && (unsigned __int128)peak * run->largest_gap > run->doubled_integral / 2)
        return "memory";
    return NULL;
}

static void print_trace(void)
{
    static char text[64 * 1024];
    size_t used = 0;
    for (int i = 0; opt.trace && i < trace_count; i++) {
        used += snprintf(text + used, sizeof text - used, "%s[%lld,%llu]", i ? "," : "", (long long)trace[i].at, (unsigned long long)trace[i].rss);
        if (used > sizeof text - 64) {
            write_all(text, used);
            used = 0;
        }
    }
    write_all(text, used);
}

static int64_t capped(int64_t size)
{
    return size < opt.output_bytes ? size : opt.output_bytes;
}

/* ---------------------------------------------------------------- instructions */

/* An event that all our children inherit, and that execve enables; we never call execve ourselves. */
RARE static void open_pmu(void)
{
    struct perf_event_attr event = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof event, .config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1, .inherit = 1,
        .enable_on_exec = 1, .exclude_kernel = 1, .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    pmu_fd = syscall(SYS_perf_event_open, &event, 0L, -1L, -1L, (long)PERF_FLAG_FD_CLOEXEC, pass);
    pmu_error = pmu_fd < 0 ? errno : 0;
}

/* The count so far; -1 with a reason if it is unknown. */
RARE static int64_t read_pmu(const char **why)
{
    struct { uint64_t value, enabled, running; } event;
    if (pmu_fd < 0 || read(pmu_fd, &event, sizeof event) != sizeof event)
        *why = pmu_error == EACCES || pmu_error == EPERM ? "this user may not read the processor's counter" : "this machine has no instruction counter";
    else if (event.running < event.enabled)
        *why = "others used the processor's counter at the same time";
    else
        return (int64_t)event.value;
    return -1;
}

/* The sum of the plugin's counts over all processes and threads; -1 with a reason if it is incomplete. */
RARE static int64_t emulated_count(const char **why)
{
    static const struct count_header nothing;
    struct count_header header = nothing;
    static struct count_cell cells[COUNT_CELLS];
    if (pread(files.count, &header, sizeof header, 0) != sizeof header || header.magic != COUNT_MAGIC)
        *why = "the emulator did not count";
    else if (header.executed)
        *why = "the program started another program (execve), which is not counted and was refused";
    else if (header.processes > COUNT_PROCESSES || header.crowded)
        *why = "the program had more processes or threads than are counted";
    else if (header.unclosed)
        *why = "a process was killed, and this emulator keeps a count until the last system call only";
    if (*why)
        return -1;
    int64_t sum = 0;
    for (uint32_t part = 0; part < header.processes; part++) {
        /* Untouched pages of a part read as zeros. */
        if (pread(files.count, cells, sizeof cells, (1LL + part) * COUNT_PART) != sizeof cells)
            continue;
        for (size_t i = 0; i < COUNT_CELLS; i++)
            sum += (int64_t)cells[i].instructions;
    }
    if (!sum) /* for instance, the emulator started but did not find the program */
        *why = "the emulator did not count";
    return sum ? sum : -1;
}

RARE static int64_t count_instructions(struct run *run, const char **why)
{
    if (opt.count)
        return emulated_count(why);
    int64_t value = read_pmu(why);
    return value < 0 ? -1 : value - run->pmu;
}

/* ---------------------------------------------------------------- the answer */

static void report(struct run *run, int64_t oom_kills)
{
    char text[2048];
    const char *why = NULL;
    int64_t instructions = opt.count || opt.pmu ? count_instructions(run, &why) : -1;
    const struct rusage *u = &run->rusage;
    int64_t out = run->out, err = run->err;
    uint64_t peak;
    ns_t group = group_cpu_used(run);
    run->group_peak = read_number(opt.peak_fd, NULL);
    const char *source = decide_peak(run, &peak);
    ns_t user = u->ru_utime.tv_sec * 1000000000LL + u->ru_utime.tv_usec * 1000LL;
    ns_t system = u->ru_stime.tv_sec * 1000000000LL + u->ru_stime.tv_usec * 1000LL;
    /* rusage excludes children that were not waited for (SIGCHLD ignored); then our own readings are larger. */
    ns_t waited = user + system, cpu = waited > gone_cpu ? waited : gone_cpu;
    if (group > cpu + GROUP_CPU_NOISE)
        cpu = group;
    if (!run->limit)
        run->limit = oom_kills > 0 || (int64_t)peak > opt.memory_bytes ? "memory"
                     : out > opt.output_bytes || err > opt.output_bytes || (WIFSIGNALED(run->status) && WTERMSIG(run->status) == SIGXFSZ) ? "output"
                     : cpu > opt.cpu_ns ? "cpu" : NULL;
    int n = snprintf(text, sizeof text,
        "{\"exit_code\":%d,\"signal\":%d,\"limit\":%s,\"wall_ns\":%lld,\"cpu_ns\":%lld,\"user_ns\":%lld,\"system_ns\":%lld,"
        "\"peak_bytes\":%llu,\"peak_source\":\"%s\",\"cgroup_peak_bytes\":%lld,\"integral_byte_ns\":%s,\"samples\":%lld,\"largest_gap_ns\":%lld,"
        "\"runnable_ns\":%lld,\"processes\":%d,\"oom_kills\":%lld,\"minor_faults\":%ld,\"major_faults\":%ld,\"voluntary_switches\":%ld,\"involuntary_switches\":%ld,"
        "\"stdout_bytes\":%lld,\"stderr_bytes\":%lld,\"stdout_cut\":%s,\"stderr_cut\":%s,\"containment\":\"%s\",\"accounting\":\"%s\",\"disagreement\":%s,"
        "\"instructions\":%lld,\"uncounted\":%s%s%s,\"dirty\":%s,\"trace\":[",
        WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1, WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0, quoted(run->limit),
        (long long)(run->ended_at - run->started_at), (long long)cpu, (long long)user, (long long)system,
        (unsigned long long)peak, source, (long long)run->group_peak, decimal(run->doubled_integral / 2), (long long)run->samples, (long long)run->largest_gap,
        (long long)run->runnable, run->most_live, (long long)oom_kills, u->ru_minflt, u->ru_majflt, u->ru_nvcsw, u->ru_nivcsw,
        (long long)capped(out), (long long)capped(err), out > opt.output_bytes ? "true" : "false", err > opt.output_bytes ? "true" : "false",
        isolated ? "pid_namespace" : "subreaper", opt.usage_fd < 0 ? "processes" : "cgroup",
        quoted(disagreement(run, peak, waited, group)), (long long)instructions, why ? "\"" : "", why ? why : "null", why ? "\"" : "",
        run->dirty ? "true" : "false");
    write_all(text, n);
    print_trace();
    write_all("]}\n", 3);
    send_output(files.output, capped(out));
    send_output(files.error, capped(err));
}

/* ---------------------------------------------------------------- requests */

static char requests[32 * 1024];
static size_t requests_at, requests_end;

/* Fills the buffer if it is empty; false at the end of the requests. */
static bool refill(void)
{
    struct pollfd more = { .fd = 0, .events = POLLIN };
    if (requests_at < requests_end)
        return true;
    if (answers_size && (poll(&more, 1, 0) <= 0 || now() - flushed_at > PATIENCE))
        flush_answers();
    ssize_t n;
    do
        n = read(0, requests, sizeof requests);
    while (n < 0 && errno == EINTR);
    requests_at = 0;
    requests_end = n > 0 ? n : 0;
    return n > 0;
}

/* Executes a supervisor with the requested words; it is still process 1, and descriptors 0 to 2 stay open. */
__attribute__((noreturn)) static void become(long long size)
{
    static char words[MAX_WORDS_BYTES + 1], pass_text[24];
    char *environment[MAX_WORDS + 1], *argv[MAX_WORDS + 3], **list = environment;
    int count = 0;
    if (size > MAX_WORDS_BYTES)
        fail("a command line of %lld bytes is too long", size);
    for (long long i = 0; i < size; i++) {
        if (!refill())
            _exit(0); /* the client is gone */
        words[i] = requests[requests_at++];
    }
    for (char *word = words; word < words + size; word += strlen(word) + 1) {
        bool ends = list == environment && !*word;
        if (count == MAX_WORDS)
            fail("a command line of more than %d words is too long", MAX_WORDS);
        list[count++] = ends ? NULL : word;
        if (ends) {
            list = argv;
            count = 0;
        }
    }
    if (list == environment || !count || requests_at < requests_end)
        fail("broken request");
    /* The filter stays, so the pass must stay, too. */
    memmove(argv + 3, argv + 1, (count - 1) * sizeof *argv);
    argv[1] = "--pass";
    argv[2] = pass_text;
    argv[count + 2] = NULL;
    snprintf(pass_text, sizeof pass_text, "%lld", (long long)pass);
    cpu_set_t everywhere;
    memset(&everywhere, 0xff, sizeof everywhere);
    set_affinity(&everywhere);
    flush_answers();
    execve(argv[0], argv, environment);
    fail("cannot execute %s: %s", argv[0], strerror(errno));
}

/* Returns false at the end of the requests. */
static bool next_input(void)
{
    char line[64];
    size_t length = 0;
    if (now() - flushed_at > PATIENCE)
        flush_answers();
    do {
        if (!refill()) {
            if (length)
                fail("broken request");
            return false;
        }
        if (length + 2 > sizeof line)
            fail("broken request");
        line[length++] = requests[requests_at++];
    } while (line[length - 1] != '\n');
    line[length] = 0;
    long long size = -1;
    if (sscanf(line, "become %lld\n", &size) == 1 && size > 0)
        become(size);
    if (sscanf(line, "run %lld\n", &size) != 1 || size < 0)
        fail("unknown request");
    while (size > 0) {
        if (!refill())
            return false; /* the client is gone */
        size_t here = requests_end - requests_at;
        ssize_t n = write(files.input, requests + requests_at, size < (long long)here ? (size_t)size : here);
        if (n <= 0)
            fail("cannot store the input: %s", strerror(errno));
        requests_at += n;
        size -= n;
    }
    return true;
}

/* The number of out-of-memory kills in the control group since the last call. */
static int64_t count_oom_kills(void)
{
    static int64_t before;
    int64_t count = read_number(opt.events_fd, "oom_kill "), more = count - before;
    before = count;
    return more > 0 ? more : 0;
}

/* Bytes charged to the control group before a run: our memory, the input, and cached files. Any excess was left by an
 * earlier run. It counts for this run, which could otherwise free it and allocate as much unnoticed. */
static int64_t usage_before(void)
{
    int64_t usage = read_number(opt.usage_fd, NULL), ours = own_bytes + known_files + file_memory(files.input);
    return usage < ours ? usage : ours;
}

/* Whether memory of a finished run is still charged to the control group, such as garbage of sockets, which the kernel
 * collects later. The next run could use it unnoticed, since memory charged before a run does not count for it. */
static bool leaves_memory(struct run *run)
{
    for (ns_t until = now() + 20 * MS; now() < until; sched_yield()) { /* awake: an idle processor collects nothing */
        int64_t rest = run->usage_after - run->usage - run->output_memory;
        int64_t grown = rest > SLACK ? cached_files() - run->files : 0;
        if (rest - (grown > 0 ? grown : 0) <= SLACK)
            return false;
        run->usage_after = read_number(opt.usage_fd, NULL);
    }
    return true;
}

/* Collects the figures of a run after all its processes have ended. */
static void look_after(struct run *run)
{
    struct stat out = { 0 }, err = { 0 };
    fstat(files.output, &out);
    fstat(files.error, &err);
    run->out = out.st_size;
    run->err = err.st_size;
    run->output_memory = 512 * (out.st_blocks + err.st_blocks) + (opt.count ? file_memory(files.count) : 0);
    bool clean = wipe();
    run->usage_after = read_number(opt.usage_fd, NULL);
    bool left = leaves_memory(run); /* waits for pending cleanup, which the next run could exploit */
    run->dirty = !clean || (opt.untouched && left);
}

static void run_once(void)
{
    struct run run = { .most_live = 1, .usage = usage_before(), .files = known_files, .own_cpu = own_cpu() };
    trace_count = 0;
    trace_stride = 1;
    reset_peak();
    if (opt.pmu)
        run.pmu = read_pmu(&(const char *){ NULL });
    run.group_cpu = group_cpu(); /* after own_cpu(), which brings it up to date */
    spawn(&run);
    follow(&run);
    if (apart() && requests_at < requests_end)
        give_order(STAY_AWAKE);
    end_everybody(&run);
    close(run.pidfd);
    close_integral(&run);
    look_after(&run);
    report(&run, count_oom_kills());
    if (run.explained_at || run.usage_after > run.usage + SLACK)
        known_files = cached_files();
    last_files = files;
    if (file_memory(files.input) + run.output_memory > SMALL) /* memory freed during a run must not hide allocations */
        close_files(&last_files);
    files = next_files;
    if (run.dirty) { /* the next run gets a new session */
        flush_answers();
        _exit(0);
    }
}

/* ---------------------------------------------------------------- start */

static const struct { const char *name; int64_t *number; int *small; const char **text; bool *flag; } flags[] = {
    { "--wall-ns", &opt.wall_ns, 0, 0, 0 }, { "--cpu-ns", &opt.cpu_ns, 0, 0, 0 }, { "--memory-bytes", &opt.memory_bytes, 0, 0, 0 },
    { "--output-bytes", &opt.output_bytes, 0, 0, 0 }, { "--file-bytes", &opt.file_bytes, 0, 0, 0 }, { "--stack-bytes", &opt.stack_bytes, 0, 0, 0 },
    { "--processes", &opt.processes, 0, 0, 0 }, { "--open-files", &opt.open_files, 0, 0, 0 }, { "--interval-ns", &opt.interval_ns, 0, 0, 0 },
    { "--spin-ns", &opt.spin_ns, 0, 0, 0 }, { "--program-cpu", 0, &opt.program_cpu, 0, 0 }, { "--sampler-cpu", 0, &opt.sampler_cpu, 0, 0 },
    { "--uid", 0, &opt.uid, 0, 0 }, { "--gid", 0, &opt.gid, 0, 0 },
    { "--chdir", 0, 0, &opt.directory, 0 }, { "--pass", &opt.pass, 0, 0, 0 }, { "--seccomp", 0, 0, 0, &opt.seccomp }, { "--namespaces", 0, 0, 0, &opt.namespaces }, { "--hide", 0, 0, 0, &opt.hide },
    { "--untouched", 0, 0, 0, &opt.untouched },
    { "--trace", 0, 0, 0, &opt.trace }, { "--ready", 0, 0, 0, &opt.ready }, { "--attended", 0, 0, 0, &opt.attended },
    { "--count", 0, 0, 0, &opt.count }, { "--pmu", 0, 0, 0, &opt.pmu }, { "--fork-server", 0, 0, 0, &opt.fork_server }, { "--look-up", &opt.looked_up, 0, 0, 0 },
};

/* Files of the control group and of the kernel: open descriptors, or paths if they have one in the sandbox. */
static const struct { const char *name; int *fd, mode; } kernel_files[] = {
    { "--peak", &opt.peak_fd, O_RDWR }, { "--events", &opt.events_fd, O_RDONLY }, { "--usage", &opt.usage_fd, O_RDONLY },
    { "--stat", &opt.stat_fd, O_RDONLY }, { "--cpu", &opt.cpu_fd, O_RDONLY }, { "--last-pid", &opt.last_pid_fd, O_WRONLY },
};

static int64_t number(const char *name, const char *text)
{
    char *end;
    errno = 0;
    int64_t value = text ? strtoll(text, &end, 10) : 0;
    if (!text || errno || *end || end == text || value < 0)
        fail("%s wants a number that is not negative, got %s", name, text ? text : "nothing");
    return value;
}

static int small_number(const char *name, const char *text)
{
    int64_t value = number(name, text);
    if (value > INT_MAX)
        fail("%s wants a number that is not so large, got %s", name, text);
    return (int)value;
}

/* Returns the number of words of the option. */
static int take_option(char **word)
{
    if (!strcmp(word[0], "--wipe")) {
        if (!word[1] || opt.wiped_count == MAX_WIPED)
            fail("--wipe wants a directory, at most %d times", MAX_WIPED);
        opt.wiped[opt.wiped_count++] = strdup(word[1]);
        return 2;
    }
    for (size_t i = 0; i < sizeof kernel_files / sizeof *kernel_files; i++) {
        if (strcmp(word[0], kernel_files[i].name))
            continue;
        if (!word[1])
            fail("%s wants a descriptor or a path", word[0]);
        /* Files that do not exist or cannot be opened are skipped; the first that opens is used. */
        if (*word[1] != '/')
            *kernel_files[i].fd = small_number(word[0], word[1]);
        else if (*kernel_files[i].fd < 0)
            *kernel_files[i].fd = open(word[1], kernel_files[i].mode | O_CLOEXEC);
        return 2;
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(word[0], flags[i].name))
            continue;
        if (flags[i].flag)
            return *flags[i].flag = true;
        if (flags[i].number)
            *flags[i].number = number(word[0], word[1]);
        else if (flags[i].small)
            *flags[i].small = small_number(word[0], word[1]);
        else if (!word[1])
            fail("%s wants a value", word[0]);
        else
            *flags[i].text = strdup(word[1]);
        return 2;
    }
    fail("unknown option %s", word[0]);
}

static void join_cgroups(char **word)
{
    for (; *word && strcmp(*word, "--"); word++)
        if (!write_text(*word, "0"))
            fail("cannot enter the cgroup %s: %s", *word, strerror(errno));
    if (!*word || !word[1])
        fail("usage: venus-supervisor join FILE... -- COMMAND [ARG...]");
    execvp(word[1], word + 1);
    fail("cannot execute %s: %s", word[1], strerror(errno));
}

/* The emulator needs a path, not a name: word --look-up of the command is searched for in PATH. */
RARE static void look_up(int64_t index)
{
    int64_t count = 0;
    while (opt.argv[count])
        count++;
    const char *at = getenv("PATH");
    if (index >= count || strchr(opt.argv[index], '/'))
        return;
    while (at && *at) {
        char path[PATH_MAX];
        size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, opt.argv[index]);
        if (!access(path, X_OK)) {
            opt.argv[index] = strdup(path);
            return;
        }
        at += length + (at[length] == ':');
    }
}

static void prepare(void)
{
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (opt.namespaces && getpid() != 1)
        become_init();
    prctl(PR_SET_TIMERSLACK, 1);
    syscall(SYS_close_range, 3, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
    page_bytes = sysconf(_SC_PAGESIZE);
    pass = opt.pass;
    if ((!pass && syscall(SYS_getrandom, &pass, sizeof pass, 0) != sizeof pass)
        || syscall(SYS_getrandom, &entry, sizeof entry, 0) != sizeof entry)
        fail("cannot draw a number: %s", strerror(errno));
    pass &= INT64_MAX;
    if (opt.looked_up)
        look_up(opt.looked_up);
    if (opt.fork_server)
        start_fork_server();
    if (opt.hide)
        hide_from_programs();
    isolated = getpid() == 1;
    if (!isolated)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    read_own_oom_score();
    prctl(PR_SET_DUMPABLE, 0); /* the program may share our user: no ptrace, no /proc/1/fd */
    pin(opt.sampler_cpu);
    files = new_files();
    proc = opendir("/proc");
    loadavg_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    own_statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (!proc || loadavg_fd < 0 || own_statm < 0)
        fail("cannot read /proc: %s", strerror(errno));
    known_files = cached_files();
    count_oom_kills();
    if (opt.pmu)
        open_pmu();
    if (opt.untouched)
        remember_folders();
    start_launcher(); /* after capabilities are dropped, but before the filter, which contains its number */
    if (opt.seccomp)
        install_filter();
    if (opt.ready)
        write_out("ready\n", 6);
}

static char **copied(char **words)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(words[i])))
            copy = NULL;
    if (!copy)
        fail("cannot copy the command line: %s", strerror(errno));
    return copy;
}

/* Readers of /proc/1/cmdline must not learn how a program is measured. */
static void forget_words(char **argv)
{
    for (; *argv; argv++)
        memset(*argv, 0, strlen(*argv));
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--version")) {
        puts("venus-supervisor " VERSION);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "join"))
        join_cgroups(argv + 2);
    char **word = argv + 1;
    while (*word && strcmp(*word, "--"))
        word += take_option(word);
    if (!*word || !word[1])
        fail("usage: venus-supervisor [OPTION...] -- PROGRAM [ARG...]");
    opt.argv = copied(word + 1);
    forget_words(argv);
    prepare();
    while (next_input())
        run_once();
    flush_answers();
    return 0;
}
