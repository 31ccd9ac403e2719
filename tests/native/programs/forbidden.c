/* Tries forbidden actions. Each line of the output is "ACTION: ERRNO", with 0 if the action succeeded. */
#include "common.h"
#include <linux/sched.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/un.h>

static void tell(const char *what, long result)
{
    printf("%s: %d\n", what, result < 0 ? errno : 0);
    fflush(stdout);
}

static void *run_thread(void *unused)
{
    return unused;
}

/* Exits unless process 1 is a supervisor, so that the machine's process 1 is never attacked. */
static void supervisor_or_exit(void)
{
    if (getuid() == 0)
        exit(1);
    char name[32] = { 0 };
    int fd = open("/proc/1/comm", O_RDONLY);
    if (fd < 0 || read(fd, name, sizeof name - 1) < 0 || strncmp(name, "venus-supervis", 14)) {
        fprintf(stderr, "process 1 is not a supervisor but %s\n", name);
        exit(1);
    }
}

static void against_process_1(void)
{
    char byte;
    struct iovec here = { &byte, 1 }, there = { (void *)0x400000, 1 };
    supervisor_or_exit();
    tell("kill", kill(1, SIGKILL));
    tell("stop", kill(1, SIGSTOP));
    tell("terminate", kill(1, SIGTERM));
    tell("attach", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
    tell("seize", ptrace(PTRACE_SEIZE, 1, NULL, NULL));
    tell("read", process_vm_readv(1, &here, 1, &there, 1, 0));
    tell("memory", open("/proc/1/mem", O_RDONLY));
    tell("environment", open("/proc/1/environ", O_RDONLY));
    tell("input", open("/proc/1/fd/0", O_RDONLY));
    tell("answers", open("/proc/1/fd/1", O_WRONLY));
    tell("descriptor", syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, 1, 0), 1, 0));
}

/* Actions that the kernel allows on all processes of the same user: mere nuisances, but they would end sessions. */
static void against_its_user(void)
{
    struct rlimit limit = { 0, 0 };
    struct sched_param idle = { 0 };
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    supervisor_or_exit();
    tell("affinity", sched_setaffinity(1, sizeof first, &first));
    tell("scheduler", sched_setscheduler(1, SCHED_IDLE, &idle));
    tell("priority", setpriority(PRIO_PROCESS, 1, 19));
    tell("priorities", setpriority(PRIO_USER, 0, 19));
    tell("cpu limit", prlimit(1, RLIMIT_CPU, &limit, NULL));
    tell("descriptor limit", prlimit(1, RLIMIT_NOFILE, &limit, NULL));
}

static void system_calls(void)
{
    struct clone_args arguments = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
    struct rlimit limit = { 0, 0 };
    cpu_set_t cpus;
    static char page[4096] __attribute__((aligned(4096)));
    unsigned char resident;
    struct iovec buffer = { page, 1 };
    pthread_t thread;
    int pair[2];
    long pid;
    sched_getaffinity(0, sizeof cpus, &cpus);
    tell("shmget", shmget(IPC_PRIVATE, 4096, 0600));
    tell("socket-vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
    tell("socket-netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    tell("socket-packet", socket(AF_PACKET, SOCK_RAW, 0));
    tell("process_vm_readv", process_vm_readv(getpid(), NULL, 0, NULL, 0, 0));
    tell("bpf", syscall(SYS_bpf, 0, NULL, 0));
    tell("perf_event_open", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
    tell("userfaultfd", syscall(SYS_userfaultfd, 1));
    tell("io_uring_setup", syscall(SYS_io_uring_setup, 1, NULL));
    tell("keyctl", syscall(SYS_keyctl, 0, -3, 0));
    tell("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL));
    tell("setns", syscall(SYS_setns, 0, 0));
    tell("socket-inet", socket(AF_INET, SOCK_STREAM, 0));
    tell("socket-inet6", socket(AF_INET6, SOCK_DGRAM, 0));
    tell("affinity", sched_setaffinity(0, sizeof cpus, &cpus));
    tell("fadvise", posix_fadvise(0, 0, 0, POSIX_FADV_DONTNEED) ? -1 : 0);
    tell("mincore", mincore(page, sizeof page, &resident));
    tell("utimensat", utimensat(AT_FDCWD, "/dev/null", NULL, 0));
    tell("preadv2", preadv2(0, &buffer, 1, 0, RWF_NOWAIT));
    tell("clock", clock_gettime((clockid_t)(~1u << 3 | 2), &(struct timespec){ 0 }));
    tell("hugetlb", mmap(NULL, 1 << 21, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) == MAP_FAILED ? -1 : 0);
    tell("memfd_create", memfd_create("uncounted", 0));
    tell("pipe size", pipe(pair) ? -1 : fcntl(pair[1], F_SETPIPE_SZ, 1 << 20));
    if ((pid = syscall(SYS_clone3, &arguments, sizeof arguments)) == 0)
        _exit(0);
    tell("clone3", pid);
    if ((pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)) == 0)
        _exit(0);
    tell("clone", pid);
    tell("unshare", unshare(CLONE_NEWUSER));
    tell("thread", pthread_create(&thread, NULL, run_thread, NULL) ? -1 : pthread_join(thread, NULL));
    if ((pid = fork()) == 0)
        _exit(0);
    tell("fork", pid);
    tell("socket-unix", socket(AF_UNIX, SOCK_STREAM, 0));
    tell("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    tell("limit", prlimit(0, RLIMIT_CORE, &limit, NULL));
    tell("priority", setpriority(PRIO_PROCESS, 0, 5));
    while (wait(NULL) > 0)
        ; /* a traced process stops at every signal, including SIGCHLD */
    tell("ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static void descriptors(void)
{
    struct stat s;
    for (int fd = 0; fd < 4096; fd++)
        if (!fstat(fd, &s))
            printf("%d\n", fd);
}

/* Writes a forged record wherever it can. */
static void forge(void)
{
    const char record[] = "{\"exit_code\":0,\"signal\":0,\"wall_ns\":1,\"peak_bytes\":1,\"stdout_bytes\":0,\"stderr_bytes\":0}\n";
    char path[64];
    printf("%s", record);
    fflush(stdout);
    for (int fd = 2; fd < 4096; fd++)
        if (write(fd, record, sizeof record - 1) < 0)
            continue;
    for (int fd = 0; fd < 64; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", getppid(), fd);
        int target = open(path, O_WRONLY);
        if (target >= 0 && write(target, record, sizeof record - 1) >= 0)
            printf("wrote to %s\n", path);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (IS("process-1"))
        against_process_1();
    if (IS("own-user"))
        against_its_user();
    if (IS("foreign")) { /* getpid through the system call table of 32-bit programs */
#ifdef __x86_64__
        long number = 20;
        __asm__ volatile("int $0x80" : "+a"(number) : : "memory");
        printf("%ld", number);
#endif
    }
    if (IS("system-calls"))
        system_calls();
    if (IS("descriptors"))
        descriptors();
    if (IS("forge"))
        forge();
    return 0;
}
