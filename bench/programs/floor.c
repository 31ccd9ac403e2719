/* The floor: a bare posix_spawn + wait4 loop. floor RUNS PROGRAM < input > /dev/null; prints nanoseconds per run on stderr. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
    int runs = atoi(argv[1]);
    (void)argc;
    long long start = 0;
    for (int i = -1; i < runs; i++) { /* the first one warms up */
        pid_t pid;
        int status;
        struct rusage usage;
        if (i == 0)
            start = now();
        lseek(0, 0, SEEK_SET);
        if (posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ))
            return 1;
        wait4(pid, &status, 0, &usage);
    }
    fprintf(stderr, "%lld\n", (now() - start) / runs);
    return 0;
}
