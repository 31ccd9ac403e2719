//: about = "secret"
//: cheats = [
//:     { name = "attribute-of-stdin", does = "an attribute of the input", stops = "fresh files for each run" },
//:     { name = "attribute-of-stdout", does = "an attribute of the output (`fsetxattr`)", stops = "fresh files for each run" },
//:     { name = "attribute-of-stderr", does = "an attribute of standard error", stops = "fresh files for each run" },
//:     { name = "flags-of-stdin", does = "`F_SETFL` on the input", stops = "fresh files for each run" },
//:     { name = "flags-of-stdout", does = "`F_SETFL` on the output", stops = "fresh files for each run" },
//:     { name = "flags-of-stderr", does = "`F_SETFL` on standard error", stops = "fresh files for each run" },
//:     { name = "signal-of-stdout", does = "`F_SETSIG` on the output", stops = "fresh files for each run" },
//:     { name = "hint-of-stdin", does = "`F_SET_RW_HINT` on the input", stops = "fresh files for each run" },
//:     { name = "hint-of-stdout", does = "`F_SET_RW_HINT` on the output", stops = "fresh files for each run" },
//:     { name = "lock-of-stdin", does = "`flock` on the input", stops = "fresh files for each run" },
//:     { name = "lock-of-stdout", does = "`flock` on the output", stops = "fresh files for each run" },
//:     { name = "mode-of-stdout", does = "the mode of the output", stops = "fresh files for each run" },
//:     { name = "time-of-stdout", does = "the time of the output", stops = "fresh files for each run" },
//:     { name = "seal-of-stdout", does = "a seal on the output", stops = "fresh files for each run" },
//:     { name = "tail-of-stdout", does = "what was behind the end of the output", stops = "fresh files for each run" },
//:     { name = "tail-of-stderr", does = "what was behind the end of standard error", stops = "fresh files for each run" },
//:     { name = "written-stdin", does = "the input, opened for writing", stops = "fresh files for each run" },
//:     { name = "process-numbers", does = "process numbers: 300 children", stops = "process numbers are reset; in a container, where the daemon allows it", open = { docker = "the next run" } },
//:     { name = "file-numbers", does = "inode numbers in `/tmp`: 300 files", stops = "the session ends" },
//:     { name = "file-numbers-in-shm", does = "inode numbers in `/dev/shm`", stops = "the session ends" },
//:     { name = "memory-file-numbers", does = "inode numbers of memory files, by which the kernel counts for all of the machine", stops = "nothing; in rewards and evaluations each repeat has inputs of its own", open = { local = "the next run", docker = "the next run" } },
//:     { name = "pipe-numbers", does = "the same with pipes", stops = "nothing; in rewards and evaluations each repeat has inputs of its own", open = { local = "the next run", docker = "the next run" } },
//:     { name = "loopback-counters", does = "the counters of the loopback device", stops = "the system call filter: local sockets only" },
//:     { name = "network-statistics", does = "the statistics of UDP", stops = "the system call filter: local sockets only" },
//:     { name = "busy-port", does = "a port that is kept for a minute after its connection", stops = "the system call filter: local sockets only" },
//:     { name = "file-in-tmp", does = "a file in `/tmp`", stops = "the session ends" },
//:     { name = "file-in-shm", does = "a file in `/dev/shm`", stops = "the session ends" },
//:     { name = "file-in-work", does = "a file next to the program", stops = "read-only" },
//:     { name = "file-in-dev", does = "a file in `/dev`", stops = "read-only" },
//:     { name = "time-of-null", does = "the time of `/dev/null`", stops = "the system call filter" },
//:     { name = "time-of-zero", does = "the time of `/dev/zero`", stops = "the system call filter" },
//:     { name = "time-of-random", does = "the time of `/dev/urandom`", stops = "the system call filter" },
//:     { name = "time-of-tmp", does = "the time of `/tmp`", stops = "the session ends" },
//:     { name = "time-of-shm", does = "the time of `/dev/shm`", stops = "the session ends" },
//:     { name = "time-of-program", does = "the time when the program was last read", stops = "mounts are read-only" },
//:     { name = "time-of-library", does = "the time when a file of `/usr` was last read", stops = "mounts are read-only" },
//:     { name = "mode-of-null", does = "the mode of `/dev/null`", stops = "the program does not own it" },
//:     { name = "mode-of-tmp", does = "the mode of `/tmp`", stops = "the program does not own it" },
//:     { name = "attribute-of-null", does = "an attribute of `/dev/null`", stops = "the program does not own it" },
//:     { name = "attribute-of-tmp", does = "an attribute of `/tmp`", stops = "the program does not own it" },
//:     { name = "room-in-tmp", does = "the free space in `/tmp`", stops = "the session ends" },
//:     { name = "room-in-shm", does = "the free space in `/dev/shm`", stops = "the session ends" },
//:     { name = "page-cache", does = "which files of `/usr` are in memory (`POSIX_FADV_DONTNEED`, `RWF_NOWAIT`)", stops = "the system call filter" },
//:     { name = "paged-out-cache", does = "the same with `MADV_PAGEOUT`", stops = "the program does not own the files" },
//:     { name = "shared-memory", does = "System V shared memory", stops = "the system call filter" },
//:     { name = "queue", does = "a POSIX message queue", stops = "the system call filter" },
//:     { name = "key", does = "a key in a keyring", stops = "the system call filter" },
//:     { name = "process-that-stays", does = "a process that keeps running, at an abstract address", stops = "all processes end with the first" },
//:     { name = "priority-of-supervisor", does = "the priority of process 1", stops = "the system call filter" },
//:     { name = "peak-of-group", does = "the peak of the control group", stops = "it sees no control group, except in a container", open = { docker = "the next run" } },
//:     { name = "times-in-proc", does = "when a file of `/proc` was first accessed", stops = "nothing; but sessions are separate, and a session runs each test once", open = { local = "the next run", docker = "the next run" } },
//:     { name = "garbage-address", does = "the address of a socket that only its own messages refer to", stops = "nothing; but sessions are separate, and a session runs each test once", open = { local = "the next run", docker = "the next run" } },
//:     { name = "cache-by-faults", does = "which files of `/usr` were ever read (major faults)", stops = "nothing; in rewards and evaluations each repeat has inputs of its own", open = { local = "the next run", docker = "the next run" } },
//:     { name = "age-of-root", does = "the age of `/`", stops = "nothing; but sessions are separate, and a session runs each test once", open = { local = "the next run", docker = "the next run" } },
//:     { name = "age-of-tmp", does = "the age of `/tmp`", stops = "nothing; but sessions are separate, and a session runs each test once", open = { local = "the next run" } },
//:     { name = "age-of-proc", does = "the age of process 1", stops = "process 1 cannot be seen" },
//:     { name = "age-of-program", does = "the age of the program", stops = "nothing; but sessions are separate, and a session runs each test once", open = { local = "the next run", docker = "the next run" } },
//:     { name = "clock-of-supervisor", does = "the processor time of process 1, asked by its clock", stops = "the system call filter" },
//:     { name = "words-of-supervisor", does = "the command line of process 1", stops = "process 1 cannot be seen, except in a container", open = { docker = "the next session" } },
//:     { name = "age-of-supervisor", does = "times and faults of process 1", stops = "process 1 cannot be seen, except in a container", open = { docker = "the next run" } },
//:     { name = "switches-of-supervisor", does = "switches of process 1", stops = "process 1 cannot be seen, except in a container", open = { docker = "the next run" } },
//:     { name = "scheduling-of-supervisor", does = "scheduling of process 1", stops = "process 1 cannot be seen, except in a container", open = { docker = "the next run" } },
//:     { name = "processors-of-supervisor", does = "where process 1 may run", stops = "the system call filter" },
//:     { name = "processors-of-launcher", does = "where the second thread of process 1 may run", stops = "the system call filter" },
//:     { name = "processes-since-supervisor", does = "how many processes there have been since process 1 (`pidfd_open`)", stops = "the system call filter" },
//:     { name = "own-processors", does = "where the program may run", stops = "they are the same in all runs" },
//:     { name = "own-number", does = "its own process number", stops = "process numbers are reset; in a container, where the daemon allows it", open = { docker = "the next run" } },
//:     { name = "last-number", does = "the last process number (`/proc/loadavg`)", stops = "process numbers are reset; in a container, where the daemon allows it", open = { docker = "the next run" } },
//:     { name = "own-limits", does = "its own limits", stops = "they are the same in all runs" },
//:     { name = "own-descriptors", does = "the names of its descriptors", stops = "they are the same in all runs" },
//:     { name = "own-slack", does = "the slack of its timers", stops = "they are the same in all runs" },
//:     { name = "own-folder", does = "what is mounted", stops = "they are the same in all runs" },
//:     { name = "timer-on-supervisor", does = "the processor time of process 1, asked by a timer", stops = "the system call filter" },
//:     { name = "usage-of-group", does = "the processor time of its control group", stops = "it sees no control group, except in a container", open = { docker = "the next run" } },
//:     { name = "own-environment", does = "its environment", stops = "they are the same in all runs" },
//: ]
// Passes a secret from one run to a later one; the second word of the input selects the method. The first word is
// "store", "read" or "plain" (neither, like the honest twin). Prints the value that it reads, by default "nothing".
//
// A program that can remember anything between runs can remember results and be measured while it looks them up. One
// that can tell a judged run from a measured one can behave differently while it is measured. So the value read must
// be the same in all runs, whatever was stored. A refused operation prints "nothing" too.
// Never run it outside a sandbox: it changes modes and times wherever it is allowed to.
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fts.h>
#include <functional>
#include <linux/fs.h>
#include <map>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <string>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace {

const std::string NOTHING = "nothing", SECRET = "secret";

struct Way {
    std::function<void()> store;
    std::function<std::string()> read; // the value read, or NOTHING
};

std::string home()
{
    return getenv("HOME");
}

std::string descriptor(int fd)
{
    return "/proc/self/fd/" + std::to_string(fd);
}

std::string found(bool yes)
{
    return yes ? SECRET : NOTHING;
}

std::string number(long value)
{
    return std::to_string(value);
}

// ------------------------------------------------------------ on files that the supervisor keeps open

Way attribute_of(int fd)
{
    return {[fd] { fsetxattr(fd, "user.secret", SECRET.data(), SECRET.size(), 0); },
            [fd] {
                char text[64];
                const ssize_t size = fgetxattr(fd, "user.secret", text, sizeof text);
                return size > 0 ? std::string(text, size) : NOTHING;
            }};
}

Way flags_of(int fd)
{
    return {[fd] { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); },
            [fd] { return found(fcntl(fd, F_GETFL) & O_NONBLOCK); }};
}

Way signal_of(int fd)
{
    return {[fd] { fcntl(fd, F_SETSIG, 42); }, [fd] { return found(fcntl(fd, F_GETSIG) == 42); }};
}

Way hint_of(int fd)
{
    return {[fd] {
                uint64_t hint = RWH_WRITE_LIFE_LONG;
                fcntl(fd, F_SET_RW_HINT, &hint);
            },
            [fd] {
                uint64_t hint = 0;
                return found(fcntl(fd, F_GET_RW_HINT, &hint) == 0 && hint == RWH_WRITE_LIFE_LONG);
            }};
}

// The lock belongs to the open file description, which the supervisor shares; opening the file again reveals the lock.
Way lock_of(int fd)
{
    return {[fd] { flock(fd, LOCK_EX | LOCK_NB); },
            [fd] {
                const int other = open(descriptor(fd).c_str(), O_RDONLY);
                return found(other >= 0 && flock(other, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK);
            }};
}

Way mode_of(int fd)
{
    return {[fd] { fchmod(fd, 0707); },
            [fd] {
                struct stat about;
                return found(fstat(fd, &about) == 0 && (about.st_mode & 0777) == 0707);
            }};
}

Way time_of(int fd)
{
    return {[fd] {
                timespec then[2] = {{1000, 0}, {1000, 0}};
                futimens(fd, then);
            },
            [fd] {
                struct stat about;
                return found(fstat(fd, &about) == 0 && about.st_mtime == 1000);
            }};
}

Way seal_of(int fd)
{
    return {[fd] { fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL); },
            [fd] { return found(fcntl(fd, F_GET_SEALS) > 1); }};
}

// Expected: data behind the end of the file, an attribute, or allocated blocks survive until the next run.
Way written_stdin()
{
    return {[] {
                const int fd = open(descriptor(0).c_str(), O_RDWR);
                if (fd < 0)
                    return;
                ftruncate(fd, 1 << 20) == 0 && pwrite(fd, SECRET.data(), SECRET.size(), 1 << 19);
                fsetxattr(fd, "user.secret", SECRET.data(), SECRET.size(), 0);
                fallocate(fd, FALLOC_FL_KEEP_SIZE, 2 << 20, 4096);
            },
            [] {
                struct stat about;
                const int fd = open(descriptor(0).c_str(), O_RDWR);
                char text[64] = "";
                const ssize_t size = fgetxattr(0, "user.secret", text, sizeof text);
                if (fd < 0 || fstat(0, &about) || size > 0)
                    return size > 0 ? std::string(text, size) : NOTHING;
                return found(about.st_size >= 1 << 19 || about.st_blocks > 8 + about.st_size / 512);
            }};
}

// Data beyond the end of an output, read after extending it again.
Way tail_of(int fd)
{
    return {[fd] {
                ftruncate(fd, 1 << 20) == 0 && pwrite(fd, SECRET.data(), SECRET.size(), 4096 * 3) && ftruncate(fd, 0);
                pwrite(fd, SECRET.data(), SECRET.size(), 100);
                if (ftruncate(fd, 0))
                    return;
            },
            [fd] {
                char text[64] = "";
                bool there = ftruncate(fd, 1 << 16) == 0 && pread(fd, text, sizeof text, 100) > 0 && text[0];
                there = there || (pread(fd, text, sizeof text, 4096 * 3) > 0 && text[0]);
                return found(ftruncate(fd, 0) == 0 && there);
            }};
}

// ------------------------------------------------------------ in counters

// Numbers are allocated in sequence, so taking many leaves a mark. The number of the run also counts.
const int MANY = 300;

Way process_numbers()
{
    return {[] {
                for (int i = 0; i < MANY; i++) {
                    if (fork() == 0)
                        _exit(0);
                    wait(nullptr);
                }
            },
            [] { return number(getpid()); }};
}

// If numbers are allocated per CPU or for the whole machine, taking many of them leaves no clear mark.
Way file_numbers(const std::string &folder)
{
    auto make = [name = folder + "/number"] {
        struct stat about = {};
        const int fd = open(name.c_str(), O_RDWR | O_CREAT, 0600);
        fstat(fd, &about);
        close(fd);
        unlink(name.c_str());
        return long(about.st_ino);
    };
    return {[make] {
                for (int i = 0; i < MANY; i++)
                    make();
            },
            [make] { return number(make()); }};
}

// The kernel allocates these numbers in batches of about a thousand per CPU. A program can use up a batch to a chosen
// position, from which the next run continues. `make` creates a file without a name.
Way numbers_of_files(int (*make)())
{
    const long batch = 1024, place = 500, away = 60;
    auto taken = [=] {
        struct stat about = {};
        const int fd = make();
        fstat(fd, &about);
        close(fd);
        return long(about.st_ino) % batch;
    };
    return {[=] {
                for (long i = 0; i < batch && taken() != place; i++)
                    ;
            },
            [=] {
                const long at = taken();
                return found(at > place && at < place + away);
            }};
}

int a_memory_file()
{
    return memfd_create("number", 0);
}

int a_pipe()
{
    int ends[2] = {-1, -1};
    if (pipe(ends) == 0)
        close(ends[1]);
    return ends[0];
}

std::vector<long> numbers_in(const std::string &path, const std::string &word)
{
    std::vector<long> numbers;
    char line[4096];
    FILE *file = fopen(path.c_str(), "r");
    while (file && fgets(line, sizeof line, file)) {
        char *at = strstr(line, word.c_str());
        for (at = at ? at + word.size() : nullptr; at && *at;) {
            char *end;
            const long number = strtol(at, &end, 10);
            if (end == at) {
                at++;
                continue;
            }
            numbers.push_back(number);
            at = end;
        }
    }
    if (file)
        fclose(file);
    return numbers;
}

int loopback(int kind, sockaddr_in &there, int port = 0)
{
    const int fd = socket(AF_INET, kind, 0);
    socklen_t size = sizeof there;
    there = {};
    there.sin_family = AF_INET;
    there.sin_port = htons(port);
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, reinterpret_cast<sockaddr *>(&there), size) || getsockname(fd, reinterpret_cast<sockaddr *>(&there), &size)) {
        close(fd);
        return -1;
    }
    return fd;
}

Way loopback_counters()
{
    return {[] {
                sockaddr_in there;
                const int fd = loopback(SOCK_DGRAM, there);
                for (int i = 0; i < MANY; i++)
                    sendto(fd, "x", 1, 0, reinterpret_cast<sockaddr *>(&there), sizeof there);
            },
            [] {
                const std::vector<long> numbers = numbers_in("/proc/net/dev", "lo:");
                return found(numbers.size() > 1 && numbers[1] >= MANY);
            }};
}

Way network_statistics()
{
    return {[] {
                sockaddr_in there;
                const int fd = loopback(SOCK_DGRAM, there);
                there.sin_port = htons(9);
                for (int i = 0; i < MANY; i++)
                    sendto(fd, "x", 1, 0, reinterpret_cast<sockaddr *>(&there), sizeof there);
            },
            [] {
                const std::vector<long> numbers = numbers_in("/proc/net/snmp", "Udp:");
                return found(std::any_of(numbers.begin(), numbers.end(), [](long n) { return n >= MANY; }));
            }};
}

// A closed connection keeps its port for a minute.
Way busy_port()
{
    const int port = 23456;
    return {[port] {
                sockaddr_in there;
                const int listener = loopback(SOCK_STREAM, there, port), out = socket(AF_INET, SOCK_STREAM, 0);
                if (listener < 0 || listen(listener, 1) || connect(out, reinterpret_cast<sockaddr *>(&there), sizeof there))
                    return;
                const int in = accept(listener, nullptr, nullptr);
                close(in); // the side that closes first waits
                close(out);
            },
            [port] {
                sockaddr_in there;
                const int fd = loopback(SOCK_STREAM, there, port);
                return found(fd < 0 && errno == EADDRINUSE);
            }};
}

// ------------------------------------------------------------ in files and folders

Way file_named(const std::string &path)
{
    return {[path] {
                const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0666);
                if (write(fd, SECRET.data(), SECRET.size()) < 0)
                    return;
                close(fd);
            },
            [path] { return found(access(path.c_str(), F_OK) == 0); }};
}

// Returns a time in tenths of a second, relative to that of a file created together with it; absolute times carry no
// information.
std::string since(const timespec &time, const char *with)
{
    struct stat other = {};
    stat(with, &other);
    return number((time.tv_sec - other.st_mtim.tv_sec) * 10 + (time.tv_nsec - other.st_mtim.tv_nsec) / 100000000);
}

Way time_of_file(const std::string &path, const char *with, bool of_reading = false)
{
    return {[path] {
                timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
                utimensat(AT_FDCWD, path.c_str(), now, 0);
                const int fd = open(path.c_str(), O_RDONLY);
                char byte = 0;
                if (read(fd, &byte, 1) < 0)
                    return;
            },
            [=] {
                struct stat about = {};
                stat(path.c_str(), &about);
                const timespec &time = of_reading ? about.st_atim : about.st_mtim;
                return since(time, with);
            }};
}

// Creating and removing files in a folder changes its timestamp.
Way time_of_folder(const std::string &folder)
{
    return {[folder] { unlink((mkdir((folder + "/made").c_str(), 0700), folder + "/made").c_str()); },
            time_of_file(folder, "/dev").read};
}

Way attribute_of_file(const std::string &path)
{
    return {[path] { setxattr(path.c_str(), "user.secret", SECRET.data(), SECRET.size(), 0); },
            [path] {
                char text[64];
                const ssize_t size = getxattr(path.c_str(), "user.secret", text, sizeof text);
                return size > 0 ? std::string(text, size) : NOTHING;
            }};
}

Way mode_of_file(const std::string &path)
{
    return {[path] { chmod(path.c_str(), 01717); },
            [path] {
                struct stat about = {};
                return found(stat(path.c_str(), &about) == 0 && (about.st_mode & 07777) == 01717);
            }};
}

// Folders of tmpfs grow and shrink with their contents, so the remaining space shows data that was not freed.
Way room_in(const std::string &folder)
{
    return {[folder] {
                for (int i = 0; i < MANY; i++) {
                    const std::string name = folder + "/room" + std::to_string(i);
                    if (mkdir(name.c_str(), 0700) && errno != EEXIST)
                        return;
                    setxattr(name.c_str(), "user.secret", std::string(4000, 's').data(), 4000, 0);
                }
            },
            [folder] {
                struct statvfs about = {};
                statvfs(folder.c_str(), &about);
                return found(about.f_bfree + 50 < about.f_blocks || about.f_ffree + 50 < about.f_files);
            }};
}

// ------------------------------------------------------------ in the cache of read-only files

const char *const QUIET_FILES[] = {
    "/usr/share/perl5/Debconf/Template.pm", "/usr/share/gdb/auto-load", "/usr/lib/os-release", "/usr/bin/tac",
    "/usr/bin/tsort", "/usr/bin/ptx", "/usr/bin/pinky", "/usr/bin/chcon", "/usr/bin/runcon", "/usr/bin/shred",
};

bool cached(int fd)
{
    char byte;
    iovec part = {&byte, 1};
    if (preadv2(fd, &part, 1, 4096, RWF_NOWAIT) >= 0)
        return true;
    if (errno == EAGAIN)
        return false;
    void *memory = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, fd, 0);
    unsigned char pages[2] = {1, 1};
    if (memory != MAP_FAILED)
        mincore(memory, 8192, pages);
    return pages[1] & 1;
}

// A dropped page is a bit. First all pages are read, so that a missing one must have been dropped deliberately.
Way page_cache(const std::function<void(int)> &drop)
{
    return {[drop] {
                for (const char *name : QUIET_FILES) {
                    const int fd = open(name, O_RDONLY);
                    char bytes[16384];
                    while (fd >= 0 && read(fd, bytes, sizeof bytes) > 0)
                        ;
                    if (fd >= 0)
                        drop(fd);
                    close(fd);
                }
            },
            [] {
                int there = 0, gone = 0;
                for (const char *name : QUIET_FILES) {
                    const int fd = open(name, O_RDONLY);
                    if (fd >= 0)
                        (cached(fd) ? there : gone)++;
                    close(fd);
                }
                return found(gone > there);
            }};
}

Way advised()
{
    return page_cache([](int fd) { posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); });
}

Way madvised()
{
    return page_cache([](int fd) {
        struct stat about = {};
        fstat(fd, &about);
        void *memory = mmap(nullptr, about.st_size, PROT_READ, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED && madvise(memory, about.st_size, 21 /* MADV_PAGEOUT */) == 0)
            madvise(memory, about.st_size, MADV_DONTNEED);
    });
}

std::vector<std::string> files_below(const char *folder)
{
    std::vector<std::string> files;
    char *const folders[] = {const_cast<char *>(folder), nullptr};
    FTS *tree = fts_open(folders, FTS_PHYSICAL, [](const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); });
    for (const FTSENT *each; tree && files.size() < 2000 && (each = fts_read(tree));)
        if (each->fts_info == FTS_F && each->fts_statp->st_size > 64 << 10)
            files.push_back(each->fts_path);
    if (tree)
        fts_close(tree);
    return files;
}

long faults_of_reading(const std::string &name, unsigned long page)
{
    rusage before, after;
    const int fd = open(name.c_str(), O_RDONLY);
    auto *memory = static_cast<volatile char *>(mmap(nullptr, 64 << 10, PROT_READ, MAP_SHARED, fd, 0));
    close(fd);
    if (memory == MAP_FAILED)
        return 0;
    madvise(const_cast<char *>(memory), 64 << 10, MADV_RANDOM);
    getrusage(RUSAGE_SELF, &before);
    const char byte = memory[page % 16 * 4096];
    getrusage(RUSAGE_SELF, &after);
    munmap(const_cast<char *>(memory), 64 << 10);
    return after.ru_majflt - before.ru_majflt + (byte & 0);
}

// The first read of a page leaves a trace: the next read causes no major fault. The number in the input selects the
// pages, since each can be queried only once; storing covers three numbers.
Way faults(unsigned long about)
{
    auto count = [](unsigned long asked, unsigned long bit) {
        const std::vector<std::string> files = files_below("/usr");
        long sum = 0;
        for (unsigned long i = 0; i < 100 && !files.empty(); i++) {
            const unsigned long drawn = (2 * (asked * 100 + i) + bit) * 11400714819323198485UL >> 20;
            sum += faults_of_reading(files[drawn % files.size()], drawn / files.size());
        }
        return sum;
    };
    return {[=] { count(about, 1), count(about + 1, 1), count(about + 2, 1); },
            [=] { return found(count(about, 0) > 2 * count(about, 1) + 5); }};
}

// ------------------------------------------------------------ in objects that processes share

Way shared_memory()
{
    return {[] { shmget(0x5ec12e7, 4096, IPC_CREAT | 0666); }, [] { return found(shmget(0x5ec12e7, 4096, 0) >= 0); }};
}

Way message_queue()
{
    return {[] { mq_open("/secret", O_RDWR | O_CREAT, 0666, nullptr); },
            [] { return found(mq_open("/secret", O_RDWR) >= 0); }};
}

Way key()
{
    return {[] { syscall(SYS_add_key, "user", "secret", SECRET.data(), SECRET.size(), -4); },
            [] { return found(syscall(SYS_keyctl, 10 /* KEYCTL_SEARCH */, -4, "user", "secret", 0) >= 0); }};
}

Way process_that_stays()
{
    return {[] {
                if (fork())
                    return;
                setsid();
                for (int number = 1; number < 65; number++)
                    signal(number, SIG_IGN);
                const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
                sockaddr_un name = {AF_UNIX, "\0secret"};
                if (bind(fd, reinterpret_cast<sockaddr *>(&name), 9) == 0)
                    for (;;)
                        pause();
            },
            [] {
                const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
                sockaddr_un name = {AF_UNIX, "\0secret"};
                return found(connect(fd, reinterpret_cast<sockaddr *>(&name), 9) == 0);
            }};
}

Way priority_of_supervisor()
{
    return {[] { setpriority(PRIO_PROCESS, getppid(), 7); },
            [] { return found(getpriority(PRIO_PROCESS, getppid()) == 7); }};
}

// Expected: the kernel creates the files of /proc on first access and reports the time. Reading a file creates it, so
// each file can be queried only once; storing covers three numbers.
Way times_in_proc(unsigned long about)
{
    auto age = [](unsigned long number) {
        const char *const names[] = {"cpuinfo", "devices", "filesystems", "crypto", "interrupts", "iomem", "locks", "misc", "stat", "swaps"};
        struct stat of = {};
        timespec now;
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
        if (stat((std::string("/proc/") + names[number % 10]).c_str(), &of))
            return 0.0;
        return now.tv_sec - of.st_mtim.tv_sec + (now.tv_nsec - of.st_mtim.tv_nsec) / 1e9;
    };
    return {[=] { age(about), age(about + 1), age(about + 2), usleep(50000); }, [=] { return found(age(about) > 0.03); }};
}

// Expected: an address stays taken until its socket, which only its own messages reference, is garbage collected.
Way garbage_address()
{
    auto take = [] {
        const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
        sockaddr_un name = {AF_UNIX, "\0garbage"};
        return bind(fd, reinterpret_cast<sockaddr *>(&name), 10) ? -1 : fd;
    };
    return {[take] {
                const int fd = take();
                sockaddr_un name = {AF_UNIX, "\0garbage"};
                char control[CMSG_SPACE(sizeof fd)] = {}, byte = 0;
                iovec part = {&byte, 1};
                msghdr message = {};
                message.msg_name = &name;
                message.msg_namelen = 10;
                message.msg_iov = &part;
                message.msg_iovlen = 1;
                message.msg_control = control;
                message.msg_controllen = sizeof control;
                cmsghdr *rights = CMSG_FIRSTHDR(&message);
                rights->cmsg_level = SOL_SOCKET;
                rights->cmsg_type = SCM_RIGHTS;
                rights->cmsg_len = CMSG_LEN(sizeof fd);
                memcpy(CMSG_DATA(rights), &fd, sizeof fd);
                sendmsg(fd, &message, 0);
            },
            [take] { return found(take() < 0); }};
}

// Expected: the control group of a container remembers its peak memory.
Way peak_of_group()
{
    return {[] {
                std::vector<char> much(96 << 20, 7);
                kill(0, much[much.size() / 2] - 7); // no effect, but keeps the compiler from removing the vector
            },
            [] {
                for (const char *path : {"/sys/fs/cgroup/memory.peak", "/sys/fs/cgroup/memory/memory.max_usage_in_bytes"}) {
                    const std::vector<long> numbers = numbers_in(path, "");
                    if (!numbers.empty())
                        return number(numbers[0] >> 26);
                }
                return NOTHING;
            }};
}

// ------------------------------------------------------------ values that differ between runs by themselves

// The supervisor's CPU time depends on the number of earlier runs.
std::string clock_of_supervisor()
{
    timespec t = {};
    return clock_gettime(clockid_t(~1U << 3 | 2), &t) ? NOTHING : number(t.tv_sec * 1000000000L + t.tv_nsec);
}

// Reads the same through a timer, whose remaining time the kernel reports.
std::string timer_on_supervisor()
{
    sigevent nothing = {};
    nothing.sigev_notify = SIGEV_NONE;
    int timer;
    itimerspec far = {{0, 0}, {1000000, 0}}, left;
    if (syscall(SYS_timer_create, int(~1U << 3 | 2), &nothing, &timer) || syscall(SYS_timer_settime, timer, TIMER_ABSTIME, &far, nullptr)
        || syscall(SYS_timer_gettime, timer, &left))
        return NOTHING;
    return number(left.it_value.tv_sec * 1000000000L + left.it_value.tv_nsec);
}

// Expected: new kernels number all processes of the machine in sequence, and a descriptor of a process shows its
// number. The difference is the number of processes since the start of the supervisor.
std::string processes_since_supervisor()
{
    long numbers[2] = {};
    for (int i = 0; i < 2; i++) {
        struct stat of = {};
        const int fd = syscall(SYS_pidfd_open, i ? getpid() : 1, 0);
        if (fd < 0 || fstat(fd, &of))
            return NOTHING;
        numbers[i] = of.st_ino;
    }
    return number(numbers[1] - numbers[0]);
}

std::string usage_of_group()
{
    for (const char *path : {"/sys/fs/cgroup/cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu.stat"}) {
        const std::vector<long> numbers = numbers_in(path, "");
        if (!numbers.empty())
            return number(numbers[0]);
    }
    return NOTHING;
}

std::string text_of(const char *path)
{
    std::string text;
    char part[4096];
    const int fd = open(path, O_RDONLY);
    for (ssize_t size; fd >= 0 && (size = read(fd, part, sizeof part)) > 0;)
        text.append(part, size);
    for (char &c : text)
        c = c < ' ' ? ' ' : c;
    return fd < 0 ? NOTHING : text;
}

std::string processors_of(pid_t pid)
{
    cpu_set_t set;
    std::string text;
    if (sched_getaffinity(pid, sizeof set, &set))
        return NOTHING;
    for (int cpu = 0; cpu < 64; cpu++)
        if (CPU_ISSET(cpu, &set))
            text += number(cpu) + " ";
    return text;
}

std::string last_number()
{
    const std::vector<long> numbers = numbers_in("/proc/loadavg", "/");
    return numbers.empty() ? NOTHING : number(numbers.back());
}

std::string mounts()
{
    std::string text;
    std::vector<std::string> found;
    char line[4096], place[4096], options[4096];
    FILE *file = fopen("/proc/self/mountinfo", "r");
    while (file && fgets(line, sizeof line, file)) // without sources and machine-wide numbers
        if (sscanf(line, "%*s %*s %*s %*s %4095s %4095s", place, options) == 2)
            found.push_back(std::string(place) + " " + options + ";");
    std::sort(found.begin(), found.end()); // Docker mounts in any order
    for (const std::string &each : found)
        text += each;
    return text;
}

// Expected: files created with the session are as old as the session.
Way age_of(const std::string &path)
{
    return {[] { usleep(500000); },
            [path] {
                struct stat about = {};
                timespec now;
                clock_gettime(CLOCK_REALTIME, &now);
                stat(path.c_str(), &about);
                const double age = now.tv_sec - about.st_ctim.tv_sec + (now.tv_nsec - about.st_ctim.tv_nsec) / 1e9;
                return found(age > 0.4);
            }};
}

std::string names_of_descriptors()
{
    std::string text;
    for (int fd = 0; fd < 300; fd++) {
        char name[256];
        const ssize_t size = readlink(descriptor(fd).c_str(), name, sizeof name);
        if (size > 0)
            text += std::string(name, size) + (fcntl(fd, F_GETFL) & O_ACCMODE ? " w; " : " r; ");
    }
    return text;
}

std::string limits()
{
    std::string text;
    for (int what = 0; what < RLIM_NLIMITS; what++) {
        rlimit bound = {};
        getrlimit(__rlimit_resource(what), &bound);
        text += number(bound.rlim_cur) + " ";
    }
    return text;
}

unsigned long about; // the third word of the input

const std::map<std::string, std::function<Way()>> WAYS = {
    {"attribute-of-stdin", [] { return attribute_of(0); }},
    {"attribute-of-stdout", [] { return attribute_of(1); }},
    {"attribute-of-stderr", [] { return attribute_of(2); }},
    {"flags-of-stdin", [] { return flags_of(0); }},
    {"flags-of-stdout", [] { return flags_of(1); }},
    {"flags-of-stderr", [] { return flags_of(2); }},
    {"signal-of-stdout", [] { return signal_of(1); }},
    {"hint-of-stdout", [] { return hint_of(1); }},
    {"hint-of-stdin", [] { return hint_of(0); }},
    {"lock-of-stdout", [] { return lock_of(1); }},
    {"lock-of-stdin", [] { return lock_of(0); }},
    {"mode-of-stdout", [] { return mode_of(1); }},
    {"time-of-stdout", [] { return time_of(1); }},
    {"seal-of-stdout", [] { return seal_of(1); }},
    {"tail-of-stdout", [] { return tail_of(1); }},
    {"tail-of-stderr", [] { return tail_of(2); }},
    {"written-stdin", written_stdin},
    {"process-numbers", process_numbers},
    {"file-numbers", [] { return file_numbers(home()); }},
    {"file-numbers-in-shm", [] { return file_numbers("/dev/shm"); }},
    {"memory-file-numbers", [] { return numbers_of_files(a_memory_file); }},
    {"pipe-numbers", [] { return numbers_of_files(a_pipe); }},
    {"loopback-counters", loopback_counters},
    {"network-statistics", network_statistics},
    {"busy-port", busy_port},
    {"file-in-tmp", [] { return file_named(home() + "/secret"); }},
    {"file-in-shm", [] { return file_named("/dev/shm/secret"); }},
    {"file-in-work", [] { return file_named("secret"); }},
    {"file-in-dev", [] { return file_named("/dev/secret"); }},
    {"time-of-null", [] { return time_of_file("/dev/null", "/dev/full"); }},
    {"time-of-zero", [] { return time_of_file("/dev/zero", "/dev/full"); }},
    {"time-of-random", [] { return time_of_file("/dev/urandom", "/dev/full"); }},
    {"time-of-tmp", [] { return time_of_folder(home()); }},
    {"time-of-shm", [] { return time_of_folder("/dev/shm"); }},
    {"time-of-program", [] { return time_of_file("main", "main", true); }},
    {"time-of-library", [] { return time_of_file("/usr/bin/tac", "/usr/bin/tac", true); }},
    {"mode-of-null", [] { return mode_of_file("/dev/null"); }},
    {"mode-of-tmp", [] { return mode_of_file(home()); }},
    {"attribute-of-null", [] { return attribute_of_file("/dev/null"); }},
    {"attribute-of-tmp", [] { return attribute_of_file(home()); }},
    {"room-in-tmp", [] { return room_in(home()); }},
    {"room-in-shm", [] { return room_in("/dev/shm"); }},
    {"page-cache", advised},
    {"paged-out-cache", madvised},
    {"shared-memory", shared_memory},
    {"queue", message_queue},
    {"key", key},
    {"process-that-stays", process_that_stays},
    {"priority-of-supervisor", priority_of_supervisor},
    {"peak-of-group", peak_of_group},
    {"times-in-proc", [] { return times_in_proc(about); }},
    {"garbage-address", garbage_address},
    {"cache-by-faults", [] { return faults(about); }},
    {"age-of-root", [] { return age_of("/"); }},
    {"age-of-tmp", [] { return age_of(home()); }},
    {"age-of-proc", [] { return age_of("/proc/1"); }},
    {"age-of-program", [] { return age_of("main"); }},
};

const std::map<std::string, std::string (*)()> SIGHTS = {
    {"clock-of-supervisor", clock_of_supervisor},
    {"words-of-supervisor", [] { return text_of("/proc/1/cmdline"); }},
    {"age-of-supervisor", [] { return text_of("/proc/1/stat"); }},
    {"switches-of-supervisor", [] { return text_of("/proc/1/status"); }},
    {"scheduling-of-supervisor", [] { return text_of("/proc/1/schedstat"); }},
    {"processors-of-supervisor", [] { return processors_of(1); }},
    {"processors-of-launcher", [] { return processors_of(2); }},
    {"processes-since-supervisor", processes_since_supervisor},
    {"own-processors", [] { return processors_of(0); }},
    {"own-number", [] { return number(getpid()); }},
    {"last-number", last_number},
    {"own-limits", limits},
    {"own-descriptors", names_of_descriptors},
    {"own-slack", [] { return number(prctl(PR_GET_TIMERSLACK)); }},
    {"own-folder", mounts},
    {"timer-on-supervisor", timer_on_supervisor},
    {"usage-of-group", usage_of_group},
    {"own-environment", [] { return text_of("/proc/self/environ"); }},
};

} // namespace

int main()
{
    char act[16], word[64];
    if (scanf("%15s %63s %lu", act, word, &about) < 2)
        return 2;
    const bool store = !strcmp(act, "store"), read = !strcmp(act, "read");
    const auto way = WAYS.find(word);
    const auto sight = SIGHTS.find(word);
    if (way == WAYS.end() && sight == SIGHTS.end())
        return 2;
    std::string answer = NOTHING;
    if (way == WAYS.end())
        answer = read ? sight->second() : answer;
    else if (store)
        way->second().store();
    else if (read)
        answer = way->second().read();
    puts(answer.c_str());
}
