//: about = "memory"
//: cheats = [
//:     { name = "memfd", does = "keeps memory in memory files that are not mapped", stops = "the control group counts it" },
//:     { name = "memfd-windows", does = "maps memory files through a window of 1 MiB", stops = "the control group counts it" },
//:     { name = "memfd-in-flight", does = "parks memory files in messages that are never received (`SCM_RIGHTS`)", stops = "the control group counts it" },
//:     { name = "file-in-tmp", does = "keeps memory in a deleted file in `/tmp`", stops = "the control group counts it, and the session ends" },
//:     { name = "file-in-shm", does = "keeps memory in a deleted file in `/dev/shm`", stops = "the control group counts it, and the session ends" },
//:     { name = "own-stdout", does = "keeps memory in its output, then truncates it", stops = "it cannot read its outputs" },
//:     { name = "own-stderr", does = "the same with standard error", stops = "it cannot read its outputs" },
//:     { name = "own-stdin", does = "opens its input for writing and keeps memory there", stops = "its input is another file, read-only" },
//:     { name = "behind-input", twin = "plain-and-input", input_mib = 40, does = "maps an input of 40 MiB, and keeps memory in a memory file", stops = "the control group counts it" },
//:     { name = "shared-anonymous", does = "maps shared memory without sharing it and drops the pages from its table", stops = "the control group counts it" },
//:     { name = "shared-file", does = "the same with a file in `/tmp`", stops = "the control group counts it" },
//:     { name = "attributes", does = "keeps memory in extended attributes of memory files", stops = "the control group counts it" },
//:     { name = "tcp-buffers", does = "keeps memory in TCP connections to itself", stops = "the system call filter: local sockets only" },
//:     { name = "udp-buffers", mib = 8, does = "keeps memory in UDP datagrams to itself", stops = "the system call filter: local sockets only" },
//:     { name = "unix-streams", mib = 24, does = "keeps memory in local stream sockets", stops = "the control group counts it" },
//:     { name = "unix-datagrams", mib = 24, does = "keeps memory in local datagrams", stops = "the control group counts it" },
//:     { name = "pipes", does = "keeps memory in pipes of 1 MiB (`F_SETPIPE_SZ`)", stops = "the system call filter" },
//:     { name = "gifts-to-pipes", does = "gives its pages to pipes and unmaps them (`vmsplice`)", stops = "the system call filter" },
//:     { name = "spliced-to-pipes", does = "moves pages of memory files to pipes (`splice`) and empties the files", stops = "the system call filter" },
//:     { name = "page-tables", does = "keeps memory in page tables: maps 24 GiB and reads a page of every 2 MiB", stops = "the control group counts it" },
//:     { name = "page-tables-again", before = "page-tables", does = "the same, as the run before it did", stops = "memory that an earlier run left counts for the next one" },
//:     { name = "timers", mib = 2, does = "keeps memory in POSIX timers", stops = "the control group counts it" },
//:     { name = "pending-signals", mib = 6, does = "keeps memory in queued signals", stops = "the control group counts it" },
//:     { name = "epoll-items", mib = 2, does = "keeps memory in `epoll` items", stops = "the control group counts it, except for 512 KiB that the kernel may keep of a process", open = { local = 1.1, docker = 1.1 } },
//:     { name = "filters", mib = 8, does = "keeps memory in system call filters of its own threads", stops = "the control group counts it" },
//:     { name = "lazily-freed", does = "uses memory that it has said may be dropped (`MADV_FREE`)", stops = "it is resident until it is dropped" },
//:     { name = "file-locks", mib = 0.08, does = "keeps memory in locks on ranges of a file", stops = "the control group counts it" },
//:     { name = "file-names", mib = 2, does = "keeps memory in names of empty files", stops = "the control group counts it" },
//:     { name = "message-queue", does = "keeps memory in POSIX message queues", stops = "the system call filter" },
//:     { name = "keys", does = "keeps memory in keyrings", stops = "the system call filter" },
//:     { name = "system-v", does = "keeps memory in System V shared memory", stops = "the system call filter" },
//:     { name = "huge-pages", does = "takes huge pages (`MAP_HUGETLB`), which no resident set shows", stops = "the system call filter" },
//:     { name = "huge-memfd", does = "the same in a memory file", stops = "the system call filter" },
//:     { name = "transparent-huge-pages", does = "asks for transparent huge pages", stops = "they are resident" },
//:     { name = "secret-memory", does = "takes secret memory (`memfd_secret`)", stops = "no memory may be locked" },
//:     { name = "paged-out", does = "has its pages swapped out (`MADV_PAGEOUT`)", stops = "no swap in the control group" },
//:     { name = "uncounted-pages", mib = 0, does = "leaves up to 31 pages for each processor uncounted by the kernel", stops = "the peak is the kernel's exact high-water mark; a few pages remain uncounted" },
//:     { name = "in-child", does = "has a child hold the memory", stops = "all processes are added up" },
//:     { name = "in-ignored-child", does = "the same, and does not wait for it", stops = "two sources disagree, so it gets no figures" },
//:     { name = "in-many-children", does = "divides it among eight children", stops = "all processes are added up" },
//:     { name = "in-short-children", mib = 4, does = "has orphans hold it, each for less than a millisecond", stops = "two sources disagree, so it gets no figures" },
//:     { name = "leader-exits", does = "ends the main thread; short threads hand over to each other", stops = "the control group counts it" },
//:     { name = "handed-over", does = "hands one address space from process to process every 0.3 ms", stops = "the system call filter" },
//:     { name = "garbage-before", before = "garbage", does = "has the run before it leave files in messages that refer only to each other, and keeps memory in a memory file", stops = "memory that an earlier run left counts for the next one, except for 2 MiB", open = { local = 1.05, docker = 1.05 } },
//:     { name = "with-tiny-processes", does = "keeps memory in memory files, next to 56 idle processes", stops = "160 KiB are allowed for each process", open = { local = 1.25, docker = 1.25 } },
//:     { name = "little-memfd", mib = 0.9, does = "keeps less than 1 MiB in a memory file", stops = "nothing: up to 1 MiB cannot be told from what the kernel counts late", open = { local = 1.4, docker = 1.4 } },
//:     { name = "before-exec", does = "replaces itself by a small program at the end", stops = "the peak is that of the process" },
//:     { name = "in-phase", twin = "plain-pulses", mib = 4, does = "watches the sampler from its processor and takes memory between two samples", stops = "the system call filter; samples are taken at random times" },
//:     { name = "starved-sampler", twin = "plain-pulses", mib = 4, does = "fills the sampler's processor with 24 busy threads", stops = "the system call filter; samples are taken at random times" },
//: ]
// Fills memory and holds it for a while. The input is the word that selects the method, the size in MiB, and the time
// in milliseconds. "plain" is the honest twin of all others.
//
// Prints "ok" if it held all the memory. A refused operation ends the program with exit code 4, and standard error
// names it.
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <mqueue.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace {

const long KIB = 1 << 10, MIB = 1 << 20, PAGE = 4096, BLOCK = 256 * KIB;
char block[BLOCK];

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

long now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

void rest_ns(long ns)
{
    timespec t = {ns / 1000000000, ns % 1000000000};
    while (nanosleep(&t, &t))
        ;
}

void rest(long ms)
{
    rest_ns(ms * 1000000);
}

// Maps at least one page, since the size must not be 0.
char *mapped(long bytes, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int fd = -1, long at = 0)
{
    void *memory = mmap(nullptr, std::max(bytes, PAGE), PROT_READ | PROT_WRITE, flags, fd, at);
    if (memory == MAP_FAILED)
        refused("mmap");
    return static_cast<char *>(memory);
}

char *filled(char *memory, long bytes)
{
    memset(memory, 7, bytes);
    return memory;
}

void pour(int fd, long bytes)
{
    for (long done = 0; done < bytes;)
        done += need(write(fd, block, std::min(BLOCK, bytes - done)), "write");
}

int scratch(const std::string &folder)
{
    const std::string name = folder + "/held" + std::to_string(now_ns());
    const int fd = need(open(name.c_str(), O_RDWR | O_CREAT, 0600), "open");
    unlink(name.c_str());
    return fd;
}

int memory_file(unsigned flags = 0)
{
    return need(memfd_create("held", flags), "memfd_create");
}

// Calls `store` with at most `most` bytes, the capacity of one object, until all bytes are stored.
void in_pieces(long bytes, long most, const std::function<void(long)> &store)
{
    for (long done = 0; done < bytes; done += most)
        store(std::min(most, bytes - done));
}

// ------------------------------------------------------------ honest

void plain(long bytes, long ms)
{
    filled(mapped(bytes), bytes);
    rest(ms);
}

// ------------------------------------------------------------ in memory files

// Expected: RSS does not include unmapped memory.
void memfd(long bytes, long ms)
{
    in_pieces(bytes, 32 * MIB, [](long size) { pour(memory_file(), size); });
    rest(ms);
}

// Expected: RSS includes only the mapped window of 1 MiB, not the rest of the file.
void memfd_windows(long bytes, long ms)
{
    std::vector<int> files;
    in_pieces(bytes, 32 * MIB, [&](long size) {
        files.push_back(memory_file());
        need(ftruncate(files.back(), size), "ftruncate");
        for (long at = 0; at < size; at += MIB)
            munmap(filled(mapped(MIB, MAP_SHARED, files.back(), at), MIB), MIB);
    });
    for (const long end = now_ns() + ms * 1000000; now_ns() < end; rest(1)) {
        char *window = mapped(MIB, MAP_SHARED, files[now_ns() / 1000 % files.size()]);
        if (window[MIB / 2] != 7)
            _exit(5);
        munmap(window, MIB);
    }
}

void send_descriptors(int socket, const int *fds, int count)
{
    char control[CMSG_SPACE(4 * sizeof *fds)] = {}, byte = 0;
    iovec part = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof *fds);
    cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof *fds);
    memcpy(CMSG_DATA(rights), fds, count * sizeof *fds);
    need(sendmsg(socket, &message, 0), "sendmsg");
}

// Expected: no process has the files open or mapped any more.
void memfd_in_flight(long bytes, long ms)
{
    int pair[2];
    need(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "socketpair");
    in_pieces(bytes, 8 * MIB, [&](long size) {
        const int fd = memory_file();
        pour(fd, size);
        send_descriptors(pair[0], &fd, 1);
        close(fd);
    });
    rest(ms);
}

void file_in(const char *folder, long bytes, long ms)
{
    in_pieces(bytes, 32 * MIB, [=](long size) { pour(scratch(folder), size); });
    rest(ms);
}

void file_in_tmp(long bytes, long ms)
{
    file_in(getenv("HOME"), bytes, ms);
}

void file_in_shm(long bytes, long ms)
{
    file_in("/dev/shm", bytes, ms);
}

// Expected: outputs count as the supervisor's memory. An output that the program can read and truncate again served as
// its memory.
void own_output(int fd, long bytes, long ms)
{
    pour(fd, bytes);
    rest(ms);
    const int again = open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY);
    for (int each : {fd, again})
        if (pread(each, block, 1, bytes - 1) == 1 && block[0] == 7) {
            need(ftruncate(fd, 0), "ftruncate");
            need(lseek(fd, 0, SEEK_SET), "lseek");
            return;
        }
    refused("pread");
}

void own_stdout(long bytes, long ms)
{
    own_output(1, bytes, ms);
}

void own_stderr(long bytes, long ms)
{
    own_output(2, bytes, ms);
}

// Expected: the input counts as the supervisor's, and so does data written after it.
void own_stdin(long bytes, long ms)
{
    const int fd = need(open("/proc/self/fd/0", O_RDWR), "open");
    pour(fd, bytes);
    rest(ms);
}

// The input counts as the supervisor's, except for its mapped part.
void map_input()
{
    struct stat about = {};
    need(fstat(0, &about), "fstat");
    const auto *memory = static_cast<volatile char *>(mmap(nullptr, about.st_size, PROT_READ, MAP_SHARED, 0, 0));
    if (memory == MAP_FAILED)
        refused("mmap");
    for (long at = 0; at < about.st_size; at += PAGE)
        block[0] = memory[at];
}

// The honest twin of the next method.
void plain_and_input(long bytes, long ms)
{
    map_input();
    plain(bytes, ms);
}

// Expected: the mapped part of the input is mistaken for the mapped part of the memory file.
void behind_input(long bytes, long ms)
{
    map_input();
    memfd(bytes, ms);
}

// Expected: pages of shared memory survive their removal from the mapping.
void forgotten(char *memory, long bytes, long ms)
{
    filled(memory, bytes);
    need(madvise(memory, bytes, MADV_DONTNEED), "madvise");
    rest(ms);
    for (long at = 0; at < bytes; at += PAGE)
        if (memory[at] != 7)
            _exit(5);
}

void shared_anonymous(long bytes, long ms)
{
    forgotten(mapped(bytes, MAP_SHARED | MAP_ANONYMOUS), bytes, ms);
}

void shared_file(long bytes, long ms)
{
    const int fd = scratch(getenv("HOME"));
    need(ftruncate(fd, bytes), "ftruncate");
    forgotten(mapped(bytes, MAP_SHARED, fd), bytes, ms);
}

// Expected: attributes of a memory file count neither as its size nor as pages of a process.
void attributes(long bytes, long ms)
{
    int count = 0, fd = memory_file();
    in_pieces(bytes, 60 * KIB, [&](long size) {
        if (++count % 200 == 0)
            fd = memory_file();
        need(fsetxattr(fd, ("user.held" + std::to_string(count)).c_str(), block, size, 0), "fsetxattr");
    });
    rest(ms);
}

// ------------------------------------------------------------ in the kernel

// Expected: buffers of sockets belong to the kernel.
void tcp(long bytes, long ms)
{
    const int listener = need(socket(AF_INET, SOCK_STREAM, 0), "socket");
    sockaddr_in there = {};
    there.sin_family = AF_INET;
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof there;
    auto *address = reinterpret_cast<sockaddr *>(&there);
    need(bind(listener, address, size), "bind");
    need(listen(listener, 64), "listen");
    need(getsockname(listener, address, &size), "getsockname");
    for (long done = 0; done < bytes;) {
        const int out = need(socket(AF_INET, SOCK_STREAM, 0), "socket");
        need(connect(out, address, size), "connect");
        need(accept(listener, nullptr, nullptr), "accept");
        for (int quiet = 0; quiet < 3 && done < bytes;) {
            const ssize_t sent = send(out, block, std::min(256 * KIB, bytes - done), MSG_DONTWAIT);
            quiet = sent > 0 ? 0 : quiet + 1;
            done += std::max<ssize_t>(sent, 0);
            if (quiet)
                rest_ns(100000);
        }
    }
    rest(ms);
}

void sockets(int kind, long piece, long bytes, long ms)
{
    for (long done = 0; done < bytes;) {
        int pair[2], most = 1 << 30;
        need(socketpair(AF_UNIX, kind, 0, pair), "socketpair");
        for (int fd : pair) {
            setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof most);
        }
        for (int fd : pair)
            for (ssize_t sent; done < bytes && (sent = send(fd, block, std::min(piece, bytes - done), MSG_DONTWAIT)) > 0;)
                done += sent;
    }
    rest(ms);
}

void unix_streams(long bytes, long ms)
{
    sockets(SOCK_STREAM, 64 * KIB, bytes, ms);
}

void unix_datagrams(long bytes, long ms)
{
    sockets(SOCK_DGRAM, 96 * KIB, bytes, ms);
}

void udp(long bytes, long ms)
{
    for (long done = 0; done < bytes;) {
        const int fd = need(socket(AF_INET, SOCK_DGRAM, 0), "socket");
        sockaddr_in there = {};
        there.sin_family = AF_INET;
        there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof there;
        auto *address = reinterpret_cast<sockaddr *>(&there);
        int most = 1 << 30;
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof most);
        need(bind(fd, address, size), "bind");
        need(getsockname(fd, address, &size), "getsockname");
        need(connect(fd, address, size), "connect");
        for (int each = 0; each < 6 && done < bytes; each++) // messages that do not fit are silently dropped
            done += need(send(fd, block, 32 * KIB, 0), "send");
    }
    rest(ms);
}

struct Pipe {
    int out, in;
    long room;
};

Pipe wide_pipe()
{
    int ends[2];
    need(pipe(ends), "pipe");
    fcntl(ends[1], F_SETPIPE_SZ, MIB);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    return {ends[0], ends[1], fcntl(ends[1], F_GETPIPE_SZ)};
}

// Expected: the contents of pipes belong to the kernel.
void pipes(long bytes, long ms)
{
    for (long done = 0; done < bytes;) {
        const Pipe pipe = wide_pipe();
        for (long left = std::min(pipe.room, bytes - done); left > 0;) {
            const long written = need(write(pipe.in, block, std::min(BLOCK, left)), "write");
            left -= written;
            done += written;
        }
    }
    rest(ms);
}

// Expected: pages that only a pipe references belong to no process and to no class of memory.stat.
void gifts(long bytes, long ms)
{
    for (long done = 0; done < bytes;) {
        const Pipe pipe = wide_pipe();
        const long size = std::min({MIB, pipe.room, bytes - done});
        char *page = filled(mapped(size), size);
        iovec part = {page, size_t(size)};
        done += need(vmsplice(pipe.in, &part, 1, SPLICE_F_GIFT | SPLICE_F_NONBLOCK), "vmsplice");
        munmap(page, size);
    }
    rest(ms);
}

// Expected: the file is empty again, but its pages remain in pipes.
void spliced(long bytes, long ms)
{
    for (long done = 0; done < bytes;) {
        const Pipe pipe = wide_pipe();
        const long size = std::min({MIB, pipe.room, bytes - done});
        const int fd = memory_file();
        pour(fd, size);
        loff_t at = 0;
        while (at < size)
            need(splice(fd, &at, pipe.in, nullptr, size - at, SPLICE_F_NONBLOCK), "splice");
        done += size;
        need(ftruncate(fd, 0), "ftruncate");
        close(fd);
    }
    rest(ms);
}

// Expected: reading one page per table of 512 entries allocates the table, which counts for no process, and maps only
// the zero page.
void page_tables(long bytes, long ms)
{
    const long reach = bytes * 512;
    void *memory = mmap(nullptr, reach, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        refused("mmap");
    madvise(memory, reach, MADV_NOHUGEPAGE);
    long sum = 0;
    for (long at = 0; at < reach; at += 512 * PAGE)
        sum += static_cast<volatile char *>(memory)[at];
    rest(ms + sum);
}

// Expected: kernel objects use memory that counts for no process.
void timers(long bytes, long ms)
{
    sigevent nothing = {};
    nothing.sigev_notify = SIGEV_NONE;
    for (long made = 0; made < bytes / 320; made++) {
        timer_t timer;
        need(syscall(SYS_timer_create, CLOCK_MONOTONIC, &nothing, &timer), "timer_create");
    }
    rest(ms);
}

// Each signal stores eight bytes of our data.
void pending_signals(long bytes, long ms)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (long sent = 0; sent < bytes / 80; sent++)
        need(sigqueue(getpid(), SIGRTMIN + sent % 8, sigval{int(sent)}), "sigqueue");
    rest(ms);
}

// Each set stores eight bytes of our data for each descriptor.
void epoll_items(long bytes, long ms)
{
    std::vector<int> watched, sets;
    while (long(watched.size() * sets.size()) < bytes / 200) {
        watched.push_back(need(eventfd(0, 0), "eventfd"));
        sets.push_back(need(epoll_create1(0), "epoll_create1"));
    }
    for (int set : sets)
        for (int each : watched) {
            epoll_event about = {EPOLLIN, {nullptr}};
            need(epoll_ctl(set, EPOLL_CTL_ADD, each, &about), "epoll_ctl");
        }
    rest(ms);
}

void *keep_filters(void *ended)
{
    static sock_filter code[4096]; // returns the data stored in it
    for (sock_filter &each : code)
        each = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    sock_fprog program = {4096, code};
    for (int i = 0; i < 3; i++) // the maximum per thread
        need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
    pthread_barrier_wait(static_cast<pthread_barrier_t *>(ended));
    pause();
    return nullptr;
}

void filters(long bytes, long ms)
{
    const int threads = std::max(1L, bytes / (3 * 4096 * 2 * long(sizeof(sock_filter))));
    pthread_barrier_t all_there;
    pthread_barrier_init(&all_there, nullptr, threads + 1);
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        need(-pthread_create(&thread, nullptr, keep_filters, &all_there), "pthread_create");
    }
    pthread_barrier_wait(&all_there);
    rest(ms);
}

void file_locks(long bytes, long ms)
{
    const int fd = scratch(getenv("HOME"));
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_len = 1;
    for (long left = bytes / 20; left > 0; left--) { // from the end, so that each lock is inserted at the front of the list
        lock.l_start = 2 * left;
        need(fcntl(fd, F_SETLK, &lock), "fcntl");
    }
    rest(ms);
}

void file_names(long bytes, long ms)
{
    const std::string start = std::string(getenv("HOME")) + "/" + std::string(240, 'n');
    for (long left = std::min(bytes / 240, 9000L); left > 0; left--)
        need(mknod((start + std::to_string(left)).c_str(), S_IFREG | 0600, 0), "mknod");
    rest(ms);
}

void message_queue(long bytes, long ms)
{
    mq_attr shape = {};
    shape.mq_maxmsg = 10;
    shape.mq_msgsize = 8192;
    in_pieces(bytes, 80 * KIB, [&](long) {
        const mqd_t queue = need(mq_open(("/q" + std::to_string(now_ns())).c_str(), O_RDWR | O_CREAT, 0600, &shape), "mq_open");
        for (int each = 0; each < 10; each++)
            need(mq_send(queue, block, 8192, 0), "mq_send");
    });
    rest(ms);
}

void keys(long bytes, long ms)
{
    in_pieces(bytes, 32 * KIB, [](long size) {
        need(syscall(SYS_add_key, "user", std::to_string(now_ns()).c_str(), block, size - 1, -2), "add_key");
    });
    rest(ms);
}

void system_v(long bytes, long ms)
{
    const int id = need(shmget(IPC_PRIVATE, bytes, 0600), "shmget");
    void *memory = shmat(id, nullptr, 0);
    if (memory == reinterpret_cast<void *>(-1))
        refused("shmat");
    shmctl(id, IPC_RMID, nullptr);
    forgotten(static_cast<char *>(memory), bytes, ms);
}

// Expected: files that only reference each other are collected some time after the end of their process. Until then,
// the next run counts them as memory that existed before.
void garbage(long bytes, long)
{
    int pair[2];
    need(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "socketpair");
    in_pieces(bytes, 8 * MIB, [&](long size) {
        int fds[3] = {memory_file(), pair[0], pair[1]};
        pour(fds[0], size);
        send_descriptors(pair[0], fds, 3);
        close(fds[0]);
    });
}

// The run after `garbage`: closing a socket triggers the collection.
void after_garbage(long bytes, long ms)
{
    int pair[2];
    need(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "socketpair");
    close(pair[0]);
    close(pair[1]);
    memfd(bytes, ms);
}

// ------------------------------------------------------------ other kinds of pages

void huge_pages(long bytes, long ms)
{
    filled(mapped(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB), bytes);
    rest(ms);
}

void huge_memfd(long bytes, long ms)
{
    const int fd = memory_file(MFD_HUGETLB);
    need(ftruncate(fd, bytes), "ftruncate");
    forgotten(mapped(bytes, MAP_SHARED, fd), bytes, ms);
}

void transparent(long bytes, long ms)
{
    char *memory = mapped(bytes + 2 * MIB);
    memory += 2 * MIB - reinterpret_cast<unsigned long>(memory) % (2 * MIB);
    need(madvise(memory, bytes, MADV_HUGEPAGE), "madvise");
    filled(memory, bytes);
    rest(ms);
}

void secret_memory(long bytes, long ms)
{
    const int fd = need(syscall(SYS_memfd_secret, 0), "memfd_secret");
    need(ftruncate(fd, bytes), "ftruncate");
    filled(mapped(bytes, MAP_SHARED, fd), bytes);
    rest(ms);
}

// Expected: if the machine has swap, the pages go there.
void paged_out(long bytes, long ms)
{
    char *memory = filled(mapped(bytes), bytes);
    need(madvise(memory, bytes, 21 /* MADV_PAGEOUT */), "madvise");
    rest(ms);
}

// Expected: page counts that a CPU has not merged yet are missing, up to 31 pages per CPU.
void uncounted(long, long ms)
{
    cpu_set_t before, one;
    sched_getaffinity(0, sizeof before, &before);
    for (int cpu = 0; cpu < 64; cpu++) {
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) == 0)
            filled(mapped(30 * PAGE), 30 * PAGE);
    }
    sched_setaffinity(0, sizeof before, &before);
    rest(ms);
}

// ------------------------------------------------------------ in other processes and threads

void in_child(long bytes, long ms)
{
    const pid_t child = need(fork(), "fork");
    if (child == 0) {
        plain(bytes, ms);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

// Expected: no process waits for the child, so its peak is in no process's usage.
void in_ignored_child(long bytes, long ms)
{
    signal(SIGCHLD, SIG_IGN);
    in_child(bytes, ms);
}

// Expected: the peak of each child is small; only the sum shows their memory.
void in_many_children(long bytes, long ms)
{
    for (int each = 0; each < 8; each++)
        if (need(fork(), "fork") == 0) {
            plain(bytes / 8, ms);
            _exit(0);
        }
    while (wait(nullptr) > 0)
        ;
}

// Expected: each child lives for less than the sampling interval, and no process waits for it.
void in_short_children(long bytes, long ms)
{
    signal(SIGCHLD, SIG_IGN);
    char *memory = mapped(bytes + 2 * MIB);
    memory += 2 * MIB - reinterpret_cast<unsigned long>(memory) % (2 * MIB);
    madvise(memory, bytes, MADV_HUGEPAGE);
    for (const long end = now_ns() + ms * 1000000; now_ns() < end;) {
        if (need(vfork(), "vfork") == 0) {
            if (syscall(SYS_fork) == 0) {
                for (long at = 0; at < bytes; at += PAGE)
                    memory[at] = 7;
                _exit(0);
            }
            _exit(0);
        }
        rest_ns(700000);
    }
}

// An executable for x86-64 with one segment that only waits.
const unsigned char TINY[] = {
    0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 62, 0, 1, 0, 0, 0, 0x78, 0, 0x40, 0, 0, 0, 0, 0,
    64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 56, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0,
    0x81, 0, 0, 0, 0, 0, 0, 0, 0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0,
    0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7, // pause, in a loop
};

// Expected: the allowance for each process exceeds the cost of an idle process.
void with_tiny_processes(long bytes, long ms)
{
    const int fd = memory_file(MFD_CLOEXEC);
    if (write(fd, TINY, sizeof TINY) != sizeof TINY)
        refused("write");
    char path[64], *const none[] = {nullptr};
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (int each = 0; each < 56; each++)
        if (need(vfork(), "vfork") == 0) {
            execve(path, none, none);
            _exit(4);
        }
    memfd(bytes, ms);
    signal(SIGTERM, SIG_IGN);
    kill(-1, SIGTERM);
}

struct Relay {
    long end_ns, step_ns;
    std::atomic<bool> over;
};
Relay relay;
char relay_stacks[64][64 * KIB];
std::atomic<int> relay_next;

void linger()
{
    const long until = std::min(now_ns() + relay.step_ns, relay.end_ns);
    while (now_ns() < until)
        rest_ns(20000);
}

void *next_thread(void *)
{
    linger();
    if (now_ns() >= relay.end_ns) {
        puts("ok");
        exit(0);
    }
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_t next;
    if (pthread_create(&next, &detached, next_thread, nullptr))
        _exit(4);
    return nullptr;
}

// Expected: an exited leader shows no memory, and each other thread ends before it is sampled.
void leader_exits(long bytes, long ms)
{
    filled(mapped(bytes), bytes);
    relay.end_ns = now_ns() + ms * 1000000;
    relay.step_ns = 300000;
    pthread_t first;
    need(-pthread_create(&first, nullptr, next_thread, nullptr), "pthread_create");
    pthread_detach(first);
    pthread_exit(nullptr);
}

int told[2]; // to the main process

int next_process(void *)
{
    linger();
    if (now_ns() >= relay.end_ns) {
        relay.over = true;
        _exit(0);
    }
    char *stack = relay_stacks[relay_next++ % 64] + sizeof relay_stacks[0];
    if (clone(next_process, stack, CLONE_VM | SIGCHLD, nullptr) < 0)
        pour(told[1], 1);
    _exit(0);
}

int first_process(void *size)
{
    filled(mapped(*static_cast<long *>(size)), *static_cast<long *>(size));
    relay.end_ns += now_ns();
    return next_process(nullptr);
}

// Expected: processes pass on one address space, so each of them ends early; the main process is small.
void handed_over(long bytes, long ms)
{
    signal(SIGCHLD, SIG_IGN);
    need(pipe(told), "pipe");
    if (need(fork(), "fork") == 0) {
        relay.end_ns = ms * 1000000;
        relay.step_ns = 300000;
        first_process(&bytes);
    }
    close(told[1]);
    char nothing;
    if (read(told[0], &nothing, 1)) // ends with the last of them
        refused("clone");
}

// Expected: usage is reset when a new program starts.
void before_exec(long bytes, long ms)
{
    filled(mapped(bytes), bytes);
    rest(ms);
    execl("/proc/self/exe", "main", "done", nullptr);
    refused("execl");
}

// ------------------------------------------------------------ against the sampler

std::atomic<long> looked_at;
std::atomic<bool> watching{true};

// Runs on the sampler's CPU: whenever we lose the CPU, the sampler takes a sample.
void *watch_sampler(void *)
{
    for (long last = now_ns(), at; watching; last = at) {
        at = now_ns();
        if (at - last > 4000)
            looked_at = at;
    }
    return nullptr;
}

bool elsewhere(pthread_t thread)
{
    cpu_set_t mine, other;
    sched_getaffinity(0, sizeof mine, &mine);
    for (int cpu = 0; cpu < 64; cpu++) {
        CPU_ZERO(&other);
        CPU_SET(cpu, &other);
        if (!CPU_ISSET(cpu, &mine) && pthread_setaffinity_np(thread, sizeof other, &other) == 0)
            return true;
    }
    return false;
}

char *huge(long bytes)
{
    char *memory = mapped(bytes + 2 * MIB);
    memory += 2 * MIB - reinterpret_cast<unsigned long>(memory) % (2 * MIB);
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

// Repeatedly fills memory, holds it for 0.35 ms and frees it.
void pulses(long bytes, long ms, const std::function<void()> &wait_for_start)
{
    char *memory = huge(bytes);
    for (const long end = now_ns() + ms * 1000000; now_ns() < end;) {
        wait_for_start();
        filled(memory, bytes);
        for (const long until = now_ns() + 350000; now_ns() < until;)
            ;
        madvise(memory, bytes, MADV_DONTNEED);
    }
}

// The honest twin of the pulses below: the same, at random times.
void plain_pulses(long bytes, long ms)
{
    unsigned long random = now_ns();
    long last = now_ns();
    pulses(bytes, ms, [&] {
        random = random * 6364136223846793005UL + 1;
        const long until = last + 600000 + long(random >> 33) % 800000;
        while (now_ns() < until)
            ;
        last = now_ns();
    });
}

// Expected: pages that the kernel may drop do not count, but they stay as long as no process needs memory.
void lazily_freed(long bytes, long ms)
{
    char *memory = mapped(bytes);
    memset(memory, 7, bytes);
    need(madvise(memory, bytes, MADV_FREE), "madvise");
    rest(ms);
    if (memory[bytes / 2] != 7)
        refused("it was dropped");
}

// Expected: the memory exists only between samples.
void in_phase(long bytes, long ms)
{
    pthread_t watcher;
    need(-pthread_create(&watcher, nullptr, watch_sampler, nullptr), "pthread_create");
    if (!elsewhere(watcher))
        refused("sched_setaffinity");
    long last = 0;
    pulses(bytes, ms, [&] {
        const long give_up = now_ns() + 1400000;
        while (looked_at == last && now_ns() < give_up)
            ;
        last = looked_at;
    });
    watching = false;
}

void *hog(void *)
{
    while (watching)
        ;
    return nullptr;
}

// Expected: the sampler gets no CPU time, so it misses memory held between two samples.
void starved(long bytes, long ms)
{
    for (int each = 0; each < 24; each++) {
        pthread_t thread;
        need(-pthread_create(&thread, nullptr, hog, nullptr), "pthread_create");
        if (!elsewhere(thread))
            refused("sched_setaffinity");
    }
    plain_pulses(bytes, ms);
    watching = false;
}

const std::map<std::string, void (*)(long, long)> WAYS = {
    {"plain", plain}, {"plain-pulses", plain_pulses}, {"plain-and-input", plain_and_input},
    {"behind-input", behind_input},
    {"memfd", memfd}, {"memfd-windows", memfd_windows}, {"memfd-in-flight", memfd_in_flight},
    {"file-in-tmp", file_in_tmp}, {"file-in-shm", file_in_shm},
    {"own-stdout", own_stdout}, {"own-stderr", own_stderr}, {"own-stdin", own_stdin},
    {"shared-anonymous", shared_anonymous}, {"shared-file", shared_file}, {"attributes", attributes},
    {"tcp-buffers", tcp}, {"udp-buffers", udp}, {"unix-streams", unix_streams}, {"unix-datagrams", unix_datagrams},
    {"pipes", pipes}, {"gifts-to-pipes", gifts}, {"spliced-to-pipes", spliced},
    {"page-tables", page_tables}, {"page-tables-again", page_tables}, {"timers", timers}, {"pending-signals", pending_signals}, {"epoll-items", epoll_items}, {"filters", filters}, {"lazily-freed", lazily_freed}, {"file-locks", file_locks}, {"file-names", file_names},
    {"message-queue", message_queue}, {"keys", keys}, {"system-v", system_v},
    {"huge-pages", huge_pages}, {"huge-memfd", huge_memfd}, {"transparent-huge-pages", transparent},
    {"secret-memory", secret_memory}, {"paged-out", paged_out}, {"uncounted-pages", uncounted},
    {"in-child", in_child}, {"in-ignored-child", in_ignored_child}, {"in-many-children", in_many_children},
    {"in-short-children", in_short_children}, {"leader-exits", leader_exits}, {"handed-over", handed_over},
    {"garbage", garbage}, {"garbage-before", after_garbage}, {"little-memfd", memfd}, {"with-tiny-processes", with_tiny_processes}, {"before-exec", before_exec}, {"in-phase", in_phase}, {"starved-sampler", starved},
};

} // namespace

int main(int count, char **)
{
    char word[64];
    double mib;
    long ms;
    if (count == 1) { // else we have executed ourselves
        if (scanf("%63s %lf %ld", word, &mib, &ms) != 3)
            return 2;
        memset(block, 7, sizeof block);
        const auto way = WAYS.find(word);
        if (way == WAYS.end())
            return 2;
        way->second(long(mib * MIB), ms);
    }
    puts("ok");
}
