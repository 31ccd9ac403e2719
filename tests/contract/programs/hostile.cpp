// Runs the action named by the first word of its input; ../attacks.toml lists the expected verdicts. The second word is
// a name for its processes. Prints "ok" if it reaches its end.
//
// Bombs are bounded, so that a broken sandbox does not bring down the machine.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const long MIB = 1 << 20;
const int MAX_BOMB = 1500;
char block[MIB];

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

std::string in_scratch(const std::string &name)
{
    return std::string(getenv("HOME")) + "/" + name;
}

std::string own_executable()
{
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    return std::string(path, size > 0 ? size : 0);
}

// ------------------------------------------------------------ time and endings

void spin()
{
    for (volatile int i = 0;; i = i + 1)
        ;
}

void stop()
{
    for (;;)
        raise(SIGSTOP);
}

void ignore_signals()
{
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
}

void ignore()
{
    ignore_signals();
    hang();
}

void crash()
{
    raise(SIGSEGV);
}

void dump_core()
{
    rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &all);
    if (chdir(getenv("HOME")))
        _exit(5);
    abort();
}

void fail()
{
    puts("ok");
    exit(3);
}

void silent()
{
    exit(0);
}

// ------------------------------------------------------------ processes

void fork_bomb()
{
    void *shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto *count = static_cast<int *>(shared);
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

void thread_bomb()
{
    threads(MAX_BOMB);
    hang();
}

// Several threads are allowed, so the program fails if it cannot start them.
void need_threads(int wanted)
{
    if (threads(wanted) < wanted)
        _exit(4);
    rest(700);
}

void twenty_threads()
{
    need_threads(20);
}

void forty_threads()
{
    need_threads(40);
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

void hang_with_child()
{
    fork();
    hang();
}

// The process changes quickly, so that killing it by its number comes too late.
void relay()
{
    if (fork())
        return;
    setsid();
    for (int i = 0; i < 20000; i++)
        if (fork() > 0)
            _exit(0);
}

void zombies()
{
    for (int i = 0; i < 20; i++)
        if (!fork())
            _exit(0);
    rest(20);
}

void kill_all()
{
    kill(-1, SIGKILL);
}

void long_arguments()
{
    static char word[120 * 1024];
    static char *words[100] = {const_cast<char *>("sh"), const_cast<char *>("-c"), const_cast<char *>("echo ok")};
    memset(word, 'x', sizeof word - 1);
    for (int i = 3; i < 99; i++)
        words[i] = word;
    for (int count = 99; count > 3; words[--count] = nullptr)
        execv("/bin/sh", words);
}

// ------------------------------------------------------------ memory

bool touch(long bytes)
{
    void *taken = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (taken == MAP_FAILED)
        return false;
    for (long at = 0; at < bytes; at += 4096)
        static_cast<char *>(taken)[at] = 1;
    return true;
}

void memory_bomb()
{
    for (int i = 0; i < 8192 && touch(MIB); i++)
        ;
}

void memory_of_children()
{
    for (int i = 0; i < 30; i++)
        if (!fork()) {
            touch(16 * MIB);
            hang();
        }
    hang();
}

void untouched()
{
    mmap(nullptr, 8192 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// Files that no process maps, so the out-of-memory killer need not choose the program.
void fill(int file, long bytes)
{
    memset(block, 1, sizeof block);
    for (long at = 0; at < bytes && write(file, block, sizeof block) > 0; at += MIB)
        ;
}

void fill_memory_files()
{
    for (int i = 0; i < 64; i++)
        fill(memfd_create("filled", 0), 16 * MIB);
}

// A program can lower its score for the out-of-memory killer, unless /proc is read-only.
void spare_me()
{
    int score = open("/proc/self/oom_score_adj", O_WRONLY);
    if (score < 0 ? errno != EROFS : write(score, "0", 1) < 0)
        _exit(6);
    fill_memory_files();
}

// Memory of the kernel for a program, which is in no resident set.
void fill_pipes()
{
    for (int pair[2]; !pipe2(pair, O_NONBLOCK);) {
        fcntl(pair[1], F_SETPIPE_SZ, MIB);
        fill(pair[1], MIB);
    }
}

void fill_sockets()
{
    for (int pair[2]; !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);)
        fill(pair[0], MIB);
}

// ------------------------------------------------------------ output and files

void flood(int descriptor)
{
    signal(SIGXFSZ, SIG_IGN);
    for (;;)
        if (write(descriptor, block, 65536) < 0)
            rest(1);
}

void flood_stdout()
{
    flood(1);
}

void flood_stderr()
{
    flood(2);
}

void close_outputs()
{
    close(1);
    close(2);
}

void close_everything()
{
    for (int descriptor = 0; descriptor < 4096; descriptor++)
        close(descriptor);
}

void no_text()
{
    fwrite("ok\n\0\xff\xfe\xc0\x80\xed\xa0\x80\n", 1, 13, stdout);
}

void fill_scratch()
{
    for (std::string folder : {"/tmp", "/dev/shm"})
        for (int i = 0; i < 8; i++)
            fill(open((folder + "/filled" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600), 64 * MIB);
}

void many_files()
{
    for (int i = 0; i < 1000000; i++)
        close(open(in_scratch(std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600));
}

void deep_folders()
{
    if (chdir(getenv("HOME")))
        _exit(5);
    for (int i = 0; i < 3000 && !mkdir("d", 0700) && !chdir("d"); i++)
        ;
}

// Clean-up as root must neither follow these nor fail on them.
void traps()
{
    const std::string targets[] = {
        "/", "/work", own_executable(), "/etc", "/proc/1/root", "/run/venus-supervisor", "/dev/null",
    };
    const std::string closed = in_scratch("closed");
    int made = mkdir(closed.c_str(), 0700), number = 0;
    for (const std::string &target : targets) {
        const std::string name = closed + "/" + std::to_string(number++);
        made += symlink(target.c_str(), name.c_str());
        made += link(target.c_str(), (name + "-hard").c_str());
    }
    made += symlink("loop", in_scratch("loop").c_str());
    made += mkfifo(in_scratch("\n\xff").c_str(), 0);
    made += mkdir(in_scratch("empty").c_str(), 0);
    made += chmod(closed.c_str(), 0);
}

void nothing()
{
}

const std::map<std::string, void (*)()> ACTIONS = {
    {"close-everything", close_everything},
    {"close-outputs", close_outputs},
    {"crash", crash},
    {"daemon", leave_daemon},
    {"deaf", nothing},
    {"deep-folders", deep_folders},
    {"dump-core", dump_core},
    {"fail", fail},
    {"fill-memory-files", fill_memory_files},
    {"fill-pipes", fill_pipes},
    {"fill-scratch", fill_scratch},
    {"fill-sockets", fill_sockets},
    {"flood-stderr", flood_stderr},
    {"flood-stdout", flood_stdout},
    {"fork-bomb", fork_bomb},
    {"forty-threads", forty_threads},
    {"hang", hang},
    {"hang-with-child", hang_with_child},
    {"ignore-signals", ignore},
    {"kill-all", kill_all},
    {"long-arguments", long_arguments},
    {"many-files", many_files},
    {"memory-bomb", memory_bomb},
    {"memory-of-children", memory_of_children},
    {"memory-untouched", untouched},
    {"no-text", no_text},
    {"quick", nothing},
    {"relay", relay},
    {"silent", silent},
    {"spare-me", spare_me},
    {"spin", spin},
    {"stop-itself", stop},
    {"thread-bomb", thread_bomb},
    {"traps", traps},
    {"twenty-threads", twenty_threads},
    {"zombies", zombies},
};

}  // namespace

int main()
{
    char action[32] = "", name[32] = "hostile";
    if (scanf("%31s %31s", action, name) < 1 || !ACTIONS.count(action))
        return 2;
    prctl(PR_SET_NAME, name);
    ACTIONS.at(action)();
    puts("ok");
    fflush(stdout);
    _exit(0);
}
