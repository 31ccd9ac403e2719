/* Helpers of the supervised test programs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1024L * 1024)
#define IS(name) (!strcmp(argv[1], name))
#define ARGUMENT(i) (argc > (i) ? atol(argv[i]) : 0)

static inline long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline void rest(long milliseconds)
{
    struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    while (nanosleep(&t, &t))
        ;
}

/* Computes until this thread has used the given CPU time. */
static inline void burn(long milliseconds)
{
    struct timespec t;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < milliseconds);
}

static inline char *map(long bytes)
{
    char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        exit(9);
    madvise(block, bytes, MADV_NOHUGEPAGE);
    return block;
}

static inline char *touch(long bytes)
{
    char *block = map(bytes);
    for (long at = 0; at < bytes; at += 4096)
        ((volatile char *)block)[at] = 1;
    return block;
}
