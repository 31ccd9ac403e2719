//: about = "cpu"
//: cheats = [
//:     { name = "in-constructor", does = "computes before `main`", stops = "the kernel counts it" },
//:     { name = "in-resolver", does = "computes while symbols are resolved (`ifunc`)", stops = "the kernel counts it" },
//:     { name = "after-main", does = "computes after `main` (`atexit`)", stops = "the kernel counts it" },
//:     { name = "after-closing", does = "closes its descriptors and computes then", stops = "the kernel counts it" },
//:     { name = "in-child", does = "has a child compute", stops = "the kernel counts it" },
//:     { name = "in-sibling", does = "has a child of its parent compute (`CLONE_PARENT`)", stops = "the kernel counts it" },
//:     { name = "in-ignored-child", does = "the same, and does not wait for it", stops = "two sources disagree, so it gets no figures" },
//:     { name = "in-short-children", does = "computes in children of 0.4 ms without waiting for them", stops = "two sources disagree, so it gets no figures" },
//:     { name = "with-nocldwait", does = "the same with `SA_NOCLDWAIT`", stops = "two sources disagree, so it gets no figures" },
//:     { name = "in-short-clones", does = "the same in its own address space (`CLONE_VM`)", stops = "the system call filter" },
//:     { name = "in-vforks", does = "the same with `vfork`", stops = "two sources disagree, so it gets no figures" },
//:     { name = "in-silent-clones", does = "the same, with clones that send no signal when they end", stops = "the system call filter" },
//:     { name = "below-subreaper", does = "becomes the parent of orphans and ignores them", stops = "two sources disagree, so it gets no figures" },
//:     { name = "in-orphans", does = "computes in orphans, whose parent is process 1", stops = "the kernel counts it" },
//:     { name = "outlived", does = "ends at once; a child continues and answers", stops = "all processes end with the first" },
//:     { name = "in-short-threads", does = "computes in threads of 0.4 ms", stops = "the kernel counts it" },
//:     { name = "leader-exits", does = "ends the main thread; short threads hand over to each other", stops = "the kernel counts it" },
//:     { name = "idle-policy", does = "computes under `SCHED_IDLE`", stops = "the system call filter" },
//:     { name = "batch-policy", does = "computes under `SCHED_BATCH`", stops = "the system call filter" },
//:     { name = "nicest", does = "computes at the lowest priority", stops = "the kernel counts it" },
//:     { name = "between-ticks", does = "sleeps after every 0.1 ms", stops = "the kernel counts it" },
//:     { name = "in-signals", does = "computes in handlers of timer signals", stops = "the kernel counts it" },
//:     { name = "on-every-processor", does = "moves to another processor after every 0.4 ms", stops = "the system call filter" },
//:     { name = "with-exec", does = "replaces itself after every 8 ms", stops = "the kernel counts it" },
//: ]
// Computes a chain of steps, each of which needs the previous one, and prints the result. The input is the word that
// selects the method, and the number of steps in millions. "plain" is the honest twin.
//
// A refused operation ends the program with exit code 4, and standard error names it.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// The result of the work, in memory shared with the children.
struct Work {
    unsigned long value;
    std::atomic<long> left;
};
Work *work;
const long PIECE = 400000; // about 0.4 ms

[[noreturn]] void refused(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    _exit(4);
}

template <typename T> T need(T result, const char *what)
{
    if (long(result) < 0)
        refused(what);
    return result;
}

void piece(long steps = PIECE)
{
    unsigned long value = work->value;
    if (steps > work->left)
        steps = work->left;
    for (long i = 0; i < steps; i++)
        value = value * 6364136223846793005UL + 1442695040888963407UL;
    work->value = value;
    work->left -= steps;
}

void all()
{
    piece(work->left);
}

void print()
{
    char text[32];
    const int size = snprintf(text, sizeof text, "%lu\n", work->value);
    if (write(1, text, size) != size)
        _exit(5);
}

// ------------------------------------------------------------ honest

void plain()
{
    all();
    print();
}

// ------------------------------------------------------------ before main and after the answer

// For these methods, code that the loader runs before main does the work.
void in_loader()
{
    print();
}

void after_main()
{
    atexit([] { all(), print(); });
}

void after_closing()
{
    const int out = need(dup(1), "dup");
    close(0), close(1), close(2);
    all();
    need(dup2(out, 1), "dup2");
    print();
}

// ------------------------------------------------------------ in children

void in_child()
{
    if (need(fork(), "fork") == 0) {
        all();
        _exit(0);
    }
    while (wait(nullptr) > 0)
        ;
    print();
}

// Expected: the child belongs to our parent, process 1, so we cannot wait for it.
void in_sibling()
{
    if (need(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0), "clone") == 0) {
        all();
        _exit(0);
    }
    while (work->left > 0)
        usleep(1000);
    print();
}

// Expected: no process waits for it, so its time is in no process's usage; a sample shows its time so far.
void in_ignored_child()
{
    signal(SIGCHLD, SIG_IGN);
    in_child();
}

// Expected: each child is too short-lived to be sampled.
void in_short_children()
{
    signal(SIGCHLD, SIG_IGN);
    while (work->left > 0) {
        if (need(fork(), "fork") == 0) {
            piece();
            _exit(0);
        }
        wait(nullptr);
    }
    print();
}

void with_nocldwait()
{
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_NOCLDWAIT;
    sigaction(SIGCHLD, &action, nullptr);
    while (work->left > 0) {
        if (need(fork(), "fork") == 0) {
            piece();
            _exit(0);
        }
        while (wait(nullptr) > 0)
            ;
    }
    print();
}

char stacks[8][64 << 10];

int one_piece(void *)
{
    piece();
    return 0;
}

void in_short_clones()
{
    signal(SIGCHLD, SIG_IGN);
    while (work->left > 0) {
        need(clone(one_piece, stacks[0] + sizeof stacks[0], CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, nullptr), "clone");
        wait(nullptr);
    }
    print();
}

void in_vforks()
{
    signal(SIGCHLD, SIG_IGN);
    while (work->left > 0)
        if (need(vfork(), "vfork") == 0) {
            piece();
            _exit(0);
        }
    print();
}

// Expected: a child without an exit signal is only waited for with __WALL.
void in_silent_clones()
{
    while (work->left > 0) {
        const int child = need(clone(one_piece, stacks[0] + sizeof stacks[0], CLONE_VM, nullptr), "clone");
        waitid(P_PID, child, nullptr, WEXITED | __WALL | WNOWAIT);
        waitpid(child, nullptr, __WALL);
    }
    print();
}

// Expected: grandchildren are reparented to a process that ignores them.
void below_subreaper()
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_IGN);
    int told[2];
    need(pipe(told), "pipe");
    while (work->left > 0) {
        if (need(fork(), "fork") == 0) {
            if (fork() == 0)
                piece();
            _exit(0);
        }
        while (wait(nullptr) > 0)
            ;
    }
    print();
}

// Expected: orphans are reparented to process 1.
void in_orphans()
{
    while (work->left > 0) {
        int told[2];
        need(pipe(told), "pipe");
        const pid_t child = need(fork(), "fork");
        if (child == 0) {
            if (fork() == 0)
                piece(8 * PIECE); // large pieces, because every orphan stays a zombie
            _exit(0);
        }
        close(told[1]);
        waitpid(child, nullptr, 0);
        char nothing;
        while (read(told[0], &nothing, 1) < 0)
            ;
        close(told[0]);
    }
    print();
}

// Expected: time and integral end with the program; its child continues and prints the result.
void outlived()
{
    if (need(fork(), "fork"))
        _exit(0);
    setsid();
    all();
    print();
}

// ------------------------------------------------------------ in threads

void *one_thread(void *)
{
    piece();
    return nullptr;
}

void in_short_threads()
{
    while (work->left > 0) {
        pthread_t thread;
        need(-pthread_create(&thread, nullptr, one_thread, nullptr), "pthread_create");
        pthread_join(thread, nullptr);
    }
    print();
}

void *next_thread(void *)
{
    piece();
    if (work->left <= 0) {
        print();
        exit(0);
    }
    pthread_t next;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    need(-pthread_create(&next, &detached, next_thread, nullptr), "pthread_create");
    return nullptr;
}

void leader_exits()
{
    pthread_t first;
    need(-pthread_create(&first, nullptr, next_thread, nullptr), "pthread_create");
    pthread_detach(first);
    pthread_exit(nullptr);
}

// ------------------------------------------------------------ against the clock

void idle_policy()
{
    sched_param none = {};
    need(sched_setscheduler(0, SCHED_IDLE, &none), "sched_setscheduler");
    plain();
}

void batch_policy()
{
    sched_param none = {};
    need(sched_setscheduler(0, SCHED_BATCH, &none), "sched_setscheduler");
    plain();
}

void nicest()
{
    need(nice(19), "nice");
    plain();
}

// Expected: a kernel that counts time in ticks misses a program that sleeps at every tick.
void between_ticks()
{
    timespec moment = {0, 50000};
    while (work->left > 0) {
        piece(100000);
        nanosleep(&moment, nullptr);
    }
    print();
}

void in_signals()
{
    signal(SIGALRM, [](int) { piece(); });
    itimerval often = {{0, 100}, {0, 100}};
    need(setitimer(ITIMER_REAL, &often, nullptr), "setitimer");
    while (work->left > 0)
        pause();
    print();
}

void on_every_processor()
{
    cpu_set_t one;
    for (int cpu = 0; work->left > 0; cpu = (cpu + 1) % 64) {
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) == 0)
            piece();
        else if (errno == EPERM)
            refused("sched_setaffinity");
    }
    print();
}

// Expected: usage is reset when a new program starts.
void with_exec()
{
    while (work->left > 0) {
        piece(PIECE * 20);
        char value[32], left[32];
        snprintf(value, sizeof value, "%lu", work->value);
        snprintf(left, sizeof left, "%ld", work->left.load());
        execl("/proc/self/exe", "main", value, left, nullptr);
        refused("execl");
    }
    print();
}

const std::map<std::string, void (*)()> WAYS = {
    {"plain", plain}, {"in-constructor", in_loader}, {"in-resolver", in_loader}, {"after-main", after_main},
    {"after-closing", after_closing}, {"in-child", in_child}, {"in-sibling", in_sibling}, {"in-ignored-child", in_ignored_child},
    {"in-short-children", in_short_children}, {"with-nocldwait", with_nocldwait}, {"in-short-clones", in_short_clones},
    {"in-vforks", in_vforks}, {"in-silent-clones", in_silent_clones}, {"below-subreaper", below_subreaper},
    {"in-orphans", in_orphans}, {"outlived", outlived}, {"in-short-threads", in_short_threads},
    {"leader-exits", leader_exits}, {"idle-policy", idle_policy}, {"batch-policy", batch_policy}, {"nicest", nicest},
    {"between-ticks", between_ticks}, {"in-signals", in_signals}, {"on-every-processor", on_every_processor},
    {"with-exec", with_exec},
};

// The input, read without the C library, which is not initialised while the loader runs.
char word[64];
long millions;

void read_input()
{
    if (work)
        return;
    static Work early;
    char text[128];
    work = &early;
    const long size = syscall(SYS_read, 0, text, sizeof text - 1);
    text[size > 0 ? size : 0] = 0;
    int i = 0;
    for (; text[i] && text[i] != ' ' && i < 63; i++)
        word[i] = text[i];
    while (text[i] == ' ')
        i++;
    for (; text[i] >= '0' && text[i] <= '9'; i++)
        millions = millions * 10 + text[i] - '0';
    early.left = millions * 1000000;
}

bool asked_for(const char *wanted)
{
    int i = 0;
    while (wanted[i] && wanted[i] == word[i])
        i++;
    return wanted[i] == word[i];
}

__attribute__((constructor)) void construct()
{
    read_input();
    if (asked_for("in-constructor"))
        all();
}

int nothing()
{
    return 0;
}

} // namespace

extern "C" int (*resolve())()
{
    read_input();
    if (asked_for("in-resolver"))
        all();
    return nothing;
}

int resolved() __attribute__((ifunc("resolve")));

int main(int count, char **words)
{
    void *shared = mmap(nullptr, sizeof(Work), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        refused("mmap");
    auto *mine = static_cast<Work *>(shared);
    mine->value = count == 3 ? strtoul(words[1], nullptr, 10) : work->value;
    mine->left = count == 3 ? atol(words[2]) : work->left.load();
    work = mine;
    if (count == 3) { // we have executed ourselves
        with_exec();
        return 0;
    }
    const auto way = WAYS.find(word);
    if (way == WAYS.end())
        return 2 + resolved();
    way->second();
}
