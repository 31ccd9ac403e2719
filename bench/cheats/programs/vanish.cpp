//: about = "memory"
//: cheats = [
//:     { name = "clone-drops", does = "a process that shares its memory (`CLONE_VM`) drops all its pages while it sleeps", stops = "the system call filter" },
//:     { name = "vfork-drops", does = "is stopped while a child of `vfork` drops all its pages", stops = "a process without pages counts as before, and two sources disagree" },
//:     { name = "file-emptied", does = "has all it has in a memory file, which another process empties while it sleeps", stops = "a process without pages counts as before, and two sources disagree" },
//:     { name = "exec-by-thread", does = "replaces itself from its second thread", stops = "its number stays watched" },
//:     { name = "exec-without-leader", does = "the same, after its first thread has ended", stops = "its number stays watched" },
//: ]
// Holds memory after a moment in which the process has no page at all, so that a sampler may assume that it has ended.
// The input is a word, MiB and milliseconds; "plain" is the honest twin of all others. Prints "ok".
//
// All private pages first move to shared memory, which keeps their contents while this process sleeps in the kernel.
// Then a process that shares the address space drops its pages, or one that has the same memory file open empties it.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

namespace {

const long MIB = 1 << 20, PAGE = 4096, STACK = 64 << 10, MOMENT_NS = 25000000;

[[noreturn]] void refused(const char *call)
{
    fprintf(stderr, "%s: %s\n", call, strerror(errno));
    _exit(4);
}

template <typename T> T need(T result, const char *call)
{
    if (long(result) == -1)
        refused(call);
    return result;
}

void rest_ns(long ns)
{
    timespec t = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_nanosleep, &t, nullptr);
}

void hold(long bytes, long ms)
{
    memset(need(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), "mmap"), 7, bytes);
    rest_ns(ms * 1000000);
}

// The mappings of this process, and the data for the code that drops their pages.
struct Mappings {
    struct { long start, size; } list[256]; // ends at a start of 0; without this structure itself
    bool moved[256];                        // whether the mapping was moved
    int count;
    int file;
    long file_size;
    char stack[STACK];
};

// Copies a mapping to `copy` and moves the copy over it, without using the stack, which may be that mapping.
void replace(char *start, char *copy, long size, long protection)
{
    asm volatile("mov %[start], %%rsi; mov %[copy], %%rdi; mov %[size], %%rcx; rep movsb;"
                 "mov %[copy], %%rdi; mov %[size], %%rsi; mov %[protection], %%rdx; mov $10, %%eax; syscall;" // mprotect
                 "mov %[copy], %%rdi; mov %[size], %%rsi; mov %[size], %%rdx; mov $3, %%r10d; mov %[start], %%r8;"
                 "mov $25, %%eax; syscall" // mremap to a fixed address
                 :
                 : [start] "r"(start), [copy] "r"(copy), [size] "r"(size), [protection] "r"(protection)
                 : "rax", "rdx", "rcx", "rdi", "rsi", "r8", "r10", "r11", "memory");
}

// Moves all mappings to a memory file, or all but the code to shared memory, since code can be read again.
Mappings *shared(bool in_file)
{
    auto *all = static_cast<Mappings *>(need(mmap(nullptr, sizeof(Mappings), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), "mmap"));
    all->file = in_file ? need(memfd_create("all", 0), "memfd_create") : -1;
    static char text[64 << 10], line_end[] = "\n";
    const int maps = need(open("/proc/self/maps", O_RDONLY), "open");
    for (long size = 0, n; (n = read(maps, text + size, sizeof text - 1 - size)) > 0;)
        size += n;
    close(maps);
    for (char *rest = nullptr, *line = strtok_r(text, line_end, &rest); line; line = strtok_r(nullptr, line_end, &rest)) {
        unsigned long start, end;
        char mode[8];
        sscanf(line, "%lx-%lx %7s", &start, &end, mode);
        const long size = end - start;
        if (start == reinterpret_cast<unsigned long>(all) || mode[0] != 'r' || strstr(line, "[vsyscall]"))
            continue;
        all->list[all->count] = {long(start), size};
        bool &moved = all->moved[all->count++];
        if (mode[3] != 'p' || (mode[2] == 'x' && !in_file) || strstr(line, "[v"))
            continue;
        if (in_file)
            need(ftruncate(all->file, all->file_size + size), "ftruncate");
        const int flags = in_file ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
        void *copy = need(mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, all->file, in_file ? all->file_size : 0), "mmap");
        all->file_size += size;
        moved = true;
        replace(reinterpret_cast<char *>(start), static_cast<char *>(copy), size, PROT_READ | (mode[1] == 'w' ? PROT_WRITE : 0) | (mode[2] == 'x' ? PROT_EXEC : 0));
    }
    return all;
}

// Drops the pages of every mapping in the list (MADV_DONTNEED), of the list itself, and finally of this code.
extern "C" char drop_begin[], drop_end[];
asm(".text; drop_begin:"
    "mov (%r13), %rdi; test %rdi, %rdi; jz 1f; mov 8(%r13), %rsi; mov $4, %edx; mov $28, %eax; syscall;"
    "add $16, %r13; jmp drop_begin;"
    "1: mov %r14, %rdi; mov %r15, %rsi; mov $4, %edx; mov $28, %eax; syscall;"
    "mov %rbx, %rdi; mov $4096, %esi; mov $11, %eax; syscall; ud2; drop_end:");

pid_t stopped; // the process to stop before dropping pages, if any

int drop(void *memory)
{
    auto *all = static_cast<Mappings *>(memory);
    char *code = static_cast<char *>(mmap(nullptr, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    memcpy(code, drop_begin, drop_end - drop_begin);
    if (stopped)
        kill(stopped, SIGSTOP);
    else
        rest_ns(MOMENT_NS);
    register long list asm("r13") = long(all->list), place asm("r14") = long(all), size asm("r15") = sizeof *all, own asm("rbx") = long(code);
    asm volatile("jmp *%%rbx" : : "r"(list), "r"(place), "r"(size), "r"(own));
    __builtin_unreachable();
}

// Expected: a process that shares the memory drops it and ends; the sleeping one has no page until it wakes.
void clone_drops()
{
    Mappings *all = shared(false);
    need(clone(drop, all->stack + STACK, CLONE_VM | SIGCHLD, all), "clone");
    rest_ns(4 * MOMENT_NS);
    waitpid(-1, nullptr, 0);
}

// Expected: a vfork child drops the memory of its stopped parent, which a third process continues.
void vfork_drops()
{
    stopped = getpid();
    if (!need(fork(), "fork")) {
        rest_ns(3 * MOMENT_NS);
        kill(stopped, SIGCONT);
        _exit(0);
    }
    Mappings *all = shared(false);
    need(clone(drop, all->stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, all), "clone");
    while (waitpid(-1, nullptr, 0) > 0)
        ;
}

// Expected: all memory of the process, including its code, is in a memory file, which another process briefly empties.
void file_emptied()
{
    int orders[2];
    need(pipe(orders), "pipe");
    if (!need(fork(), "fork")) {
        long order[3]; // process, file, size
        need(read(orders[0], order, sizeof order), "read");
        const std::string path = "/proc/" + std::to_string(order[0]) + "/fd/" + std::to_string(order[1]);
        const int file = need(open(path.c_str(), O_RDWR), "open");
        char *copy = static_cast<char *>(malloc(order[2]));
        rest_ns(MOMENT_NS);
        need(pread(file, copy, order[2], 0), "pread");
        need(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, order[2]), "fallocate");
        rest_ns(MOMENT_NS);
        need(pwrite(file, copy, order[2], 0), "pwrite");
        _exit(0);
    }
    prctl(PR_SET_DUMPABLE, 1);
    Mappings *all = shared(true);
    const long order[3] = {getpid(), all->file, all->file_size};
    need(write(orders[1], order, sizeof order), "write");
    for (int each = 0; each < all->count; each++) // mappings that the kernel adds to every process
        if (!all->moved[each])
            madvise(reinterpret_cast<void *>(all->list[each].start), all->list[each].size, MADV_DONTNEED);
    madvise(all, sizeof *all, MADV_DONTNEED);
    rest_ns(6 * MOMENT_NS);
    waitpid(-1, nullptr, 0);
}

bool leader_exits;
char executable[4096]; // a process without its first thread has no /proc/self/exe

void *execute(void *arguments)
{
    char **words = static_cast<char **>(arguments);
    if (leader_exits)
        rest_ns(4 * MOMENT_NS);
    execv(executable, words);
    refused("execv");
}

// Expected: the watched process number passes to the executing thread, from the first thread or, if that has exited,
// from the thread that is watched in its place.
void exec_by_thread(const char *mib, const char *ms)
{
    static const char *words[] = {"again", mib, ms, nullptr};
    pthread_t thread;
    need(readlink("/proc/self/exe", executable, sizeof executable - 1), "readlink");
    pthread_create(&thread, nullptr, execute, words);
    if (leader_exits)
        pthread_exit(nullptr);
    for (;;)
        pause();
}

} // namespace

int main(int count, char **arguments)
{
    char word[64] = "plain", mib[32], ms[32];
    if (count == 3)
        strcpy(mib, arguments[1]), strcpy(ms, arguments[2]);
    else if (scanf("%63s %31s %31s", word, mib, ms) != 3)
        return 2;
    const std::string way = word;
    if (way == "clone-drops")
        clone_drops();
    else if (way == "vfork-drops")
        vfork_drops();
    else if (way == "file-emptied")
        file_emptied();
    else if (way == "exec-by-thread" || way == "exec-without-leader") {
        leader_exits = way == "exec-without-leader";
        exec_by_thread(strdup(mib), strdup(ms));
    }
    else if (way == "plain")
        rest_ns(4 * MOMENT_NS);
    else
        return 2;
    hold(atol(mib) * MIB, atol(ms));
    puts("ok");
}

#else

int main()
{
    return 4;
}

#endif
