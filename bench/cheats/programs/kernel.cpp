//: about = "memory"
//: cheats = [
//:     { name = "aio-rings", mib = 3.5, does = "keeps memory in rings of asynchronous I/O (`io_setup`), which count as files that were read", stops = "the system call filter" },
//:     { name = "terminals", mib = 1, does = "keeps memory in pseudo-terminals that are never read", stops = "there is no `/dev/ptmx`" },
//: ]
// Holds data in kernel memory that is charged to no control group. The input is a word, MiB and milliseconds; "plain"
// is the honest twin. Prints "ok" if all data is still there at the end.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <linux/aio_abi.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

namespace {

const long MIB = 1 << 20, PAGE = 4096;

[[noreturn]] void refused(const char *call)
{
    fprintf(stderr, "%s: %s\n", call, strerror(errno));
    _exit(4);
}

void rest(long ms)
{
    timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, nullptr);
}

bool plain(long bytes, long ms)
{
    auto *memory = static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    memset(memory, 7, bytes);
    rest(ms);
    return memory[bytes / 2] == 7;
}

// Expected: the pages of a ring survive their removal from the page table, which defines the resident set.
bool aio_rings(long bytes, long ms)
{
    std::vector<char *> rings;
    const long events = 4095, ring = 32 * (events + 1);
    for (long done = 0; done < bytes; done += ring) {
        aio_context_t context = 0;
        if (syscall(SYS_io_setup, events, &context))
            refused("io_setup");
        rings.push_back(reinterpret_cast<char *>(context));
        memset(rings.back() + PAGE, 7, ring - PAGE); // behind its head
        madvise(rings.back(), ring, MADV_DONTNEED);
    }
    rest(ms);
    bool all = true;
    for (const char *at : rings)
        all &= at[PAGE] == 7 && at[ring - 1] == 7;
    return all;
}

// Expected: data written to a terminal waits in the kernel until it is read.
bool terminals(long bytes, long ms)
{
    const std::string line(PAGE, '7');
    for (long done = 0; done < bytes;) {
        const int terminal = open("/dev/ptmx", O_RDWR | O_NONBLOCK), unlocked = 0;
        if (terminal < 0)
            refused("/dev/ptmx");
        ioctl(terminal, TIOCSPTLCK, &unlocked);
        const int other = ioctl(terminal, TIOCGPTPEER, O_RDWR | O_NONBLOCK | O_NOCTTY);
        termios raw{};
        tcgetattr(terminal, &raw);
        cfmakeraw(&raw);
        tcsetattr(terminal, TCSANOW, &raw);
        const long before = done;
        for (const int end : {terminal, other})
            for (long written; (written = write(end, line.data(), line.size())) > 0;)
                done += written;
        if (done == before)
            refused("write");
    }
    rest(ms);
    return true;
}

} // namespace

int main()
{
    char word[64];
    double mib;
    long ms;
    if (scanf("%63s %lf %ld", word, &mib, &ms) != 3)
        return 2;
    const std::string way = word;
    const long bytes = mib * MIB;
    if (!(way == "plain" ? plain : way == "aio-rings" ? aio_rings : terminals)(bytes, ms))
        refused("it was dropped");
    puts("ok");
}
