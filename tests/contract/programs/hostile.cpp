// Does what the first line of its input says: an action and, for some, a name that its processes take.
// Prints "ok" where it comes to an end.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const long MIB = 1 << 20;
const int MAX_BOMB = 1500;  // a sandbox that does not stop the bomb must not cost us the machine

[[noreturn]] void hang()
{
    for (;;)
        pause();
}

void rest(long milliseconds)
{
    timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&t, &t))
        ;
}

char *map(long bytes, int shared = MAP_PRIVATE)
{
    void *block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, shared | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block == MAP_FAILED ? nullptr : static_cast<char *>(block);
}

bool touch(long bytes)
{
    char *block = map(bytes);
    for (long at = 0; block && at < bytes; at += 4096)
        block[at] = 1;
    return block;
}

void fork_bomb()
{
    auto *count = reinterpret_cast<int *>(map(4096, MAP_SHARED));
    while (__atomic_load_n(count, __ATOMIC_RELAXED) < MAX_BOMB)
        if (fork() == 0)
            __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    hang();
}

void *hang_thread(void *)
{
    hang();
}

int threads(int wanted)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    int made = 0;
    for (pthread_t thread; made < wanted && !pthread_create(&thread, &small, hang_thread, nullptr);)
        made++;
    return made;
}

void flood(int descriptor)
{
    static char block[65536];
    signal(SIGXFSZ, SIG_IGN);
    for (;;)
        if (write(descriptor, block, sizeof block) < 0)
            rest(1);
}

void ignore_signals()
{
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
}

void leave_daemon()
{
    if (fork())
        return;
    setsid();
    if (fork())
        _exit(0);
    ignore_signals();
    hang();
}

void zombies()
{
    for (int i = 0; i < 20; i++)
        if (!fork())
            _exit(0);
    rest(20);
}

// Fills files that no process maps: what an out-of-memory killer takes then is not necessarily the program.
void fill(const char *folder, long bytes)
{
    static char block[MIB];
    std::string name = std::string(folder) + "/filled";
    memset(block, 1, sizeof block);
    int fd = open(name.c_str(), O_CREAT | O_WRONLY, 0600);
    for (long at = 0; at < bytes && write(fd, block, sizeof block) > 0; at += MIB)
        ;
}

void fill_memory_files(long bytes)
{
    static char block[MIB];
    memset(block, 1, sizeof block);
    for (int i = 0; i < 64; i++)
        for (long at = 0, fd = memfd_create("filled", 0); at < bytes && write(fd, block, sizeof block) > 0; at += MIB)
            ;
}

}  // namespace

int main()
{
    char action[32] = "", name[32] = "hostile";
    if (scanf("%31s %31s", action, name) < 1)
        return 2;
    prctl(PR_SET_NAME, name);
    const auto is = [&](const char *what) { return !strcmp(action, what); };
    if (is("hang"))
        hang();
    if (is("hang-with-child")) {
        fork();
        hang();
    }
    if (is("spin"))
        for (volatile int i = 0;; i = i + 1)
            ;
    if (is("stop"))
        for (;;)
            raise(SIGSTOP);
    if (is("ignore")) {
        ignore_signals();
        hang();
    }
    if (is("crash"))
        raise(SIGSEGV);
    if (is("fail")) {
        puts("ok");
        return 3;
    }
    if (is("silent"))
        return 0;
    if (is("fork-bomb"))
        fork_bomb();
    if (is("thread-bomb")) {
        threads(MAX_BOMB);
        hang();
    }
    if (is("threads")) {  // as many as the second word says, or it is no success
        if (threads(atoi(name)) < atoi(name))
            return 4;
        rest(700);
    }
    if (is("memory-bomb"))
        while (touch(MIB))
            ;
    if (is("untouched"))
        map(8192 * MIB);
    if (is("flood-stdout"))
        flood(1);
    if (is("flood-stderr"))
        flood(2);
    if (is("close")) {
        close(1);
        close(2);
    }
    if (is("daemon"))
        leave_daemon();
    if (is("zombies"))
        zombies();
    if (is("kill-all"))
        kill(-1, SIGKILL);
    if (is("fill-tmp")) {
        fill("/tmp", 64 * MIB);
        fill("/dev/shm", 64 * MIB);
    }
    if (is("fill-memory-files"))
        fill_memory_files(16 * MIB);
    puts("ok");
    fflush(stdout);
    _exit(0);
}
