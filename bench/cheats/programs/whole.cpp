// A whole solution of a small problem: it reads the length of a chain in millions of steps, prints its end, and holds a
// table of 40 MiB until then. If WAY is defined above this line, it cheats:
//
//     WAY 1   prints a wrong result if the command line of process 1 shows that it is measured
//     WAY 2   stores its result in an attribute of its output, and prints it the next time
//     WAY 3   computes in children of vfork, 0.4 ms each, without waiting for them
//     WAY 4   keeps the table in a memory file that is not mapped
//
// WORK is the number of steps per necessary step, in tenths: honest solutions that differ in cost.
#ifndef WAY
#define WAY 0
#endif
#ifndef WORK
#define WORK 12
#endif
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const long TABLE = 40L * WORK / 12 << 20, PIECE = 400000;
static volatile unsigned long value, wasted;
static volatile long left_over;
static char stack[64 << 10];

static int steps(void *)
{
    unsigned long own = value;
    const long count = left_over < PIECE ? left_over : PIECE;
    for (long i = 0; i < count; i++)
        own = own * 6364136223846793005UL + 1442695040888963407UL;
    value = own;
    for (long i = 0; i < count * (WORK - 10) / 10; i++)
        own = own * 6364136223846793005UL + 1442695040888963407UL;
    wasted = own;
    left_over = left_over - count;
    return 0;
}

static bool measured()
{
    std::string words(4096, 0);
    const int fd = open("/proc/1/cmdline", O_RDONLY);
    const ssize_t size = read(fd, &words[0], words.size());
    const size_t at = words.find("--spin-ns");
    return size > 0 && at != std::string::npos && words[at + 10] != '0';
}

static void keep_table()
{
    char *table;
    if (WAY == 4) {
        static char block[1 << 16];
        memset(block, 7, sizeof block);
        const int fd = memfd_create("table", 0);
        for (long done = 0; done < TABLE; done += sizeof block)
            if (write(fd, block, sizeof block) < 0)
                _exit(4);
    } else if ((table = static_cast<char *>(malloc(TABLE)))) {
        memset(table, 7, TABLE);
        wasted = table[TABLE / 2];
    }
}

int main()
{
    long millions;
    char known[64];
    if (scanf("%ld", &millions) != 1)
        return 2;
    left_over = millions * 1000000;
    const std::string name = "user.of" + std::to_string(millions);
    if (WAY == 1 && measured()) {
        puts("0");
        return 0;
    }
    const ssize_t size = WAY == 2 ? fgetxattr(1, name.c_str(), known, sizeof known) : -1;
    if (size > 0) {
        printf("%.*s\n", int(size), known);
        return 0;
    }
    keep_table();
    if (WAY == 3)
        signal(SIGCHLD, SIG_IGN);
    while (left_over > 0) {
        if (WAY != 3)
            steps(nullptr);
        else if (clone(steps, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr) > 0)
            wait(nullptr);
        else
            return 4;
    }
    const std::string answer = std::to_string(value);
    if (WAY == 2)
        fsetxattr(1, name.c_str(), answer.data(), answer.size(), 0);
    puts(answer.c_str());
}
