/* Programs that leave processes behind: leftover KIND NAME. The processes call themselves NAME. */
#include "common.h"

#define MAX_BOMB 1500 /* bounded, in case the supervisor does not stop the bomb */

static void daemon_of_mine(void)
{
    if (fork())
        return;
    setsid();
    if (fork())
        _exit(0);
    for (;;)
        pause();
}

static void bomb(void)
{
    int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (__atomic_load_n(count, __ATOMIC_RELAXED) < MAX_BOMB)
        if (fork() == 0)
            __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    prctl(PR_SET_NAME, argv[2]);
    if (IS("daemon"))
        daemon_of_mine();
    if (IS("session") && !fork()) {
        setsid();
        for (;;)
            pause();
    }
    if (IS("ignoring") && !fork()) {
        for (int number = 1; number < 65; number++)
            signal(number, SIG_IGN);
        for (;;)
            pause();
    }
    if (IS("stopped") && !fork())
        for (;;)
            raise(SIGSTOP);
    if (IS("busy"))
        for (int i = 0; i < 8; i++)
            if (!fork())
                for (;;)
                    ;
    if (IS("zombies"))
        for (int i = 0; i < 20; i++)
            if (!fork())
                return 0;
    if (IS("chain")) /* every process starts the next one and ends, so a search always comes too late */
        for (int i = 0; i < MAX_BOMB; i++)
            if (fork())
                return 0;
    if (IS("bomb"))
        bomb();
    if (IS("forks")) { /* prints the number of children that can exist at the same time */
        int children = 0;
        pid_t child = 1;
        while (children < 200 && (child = fork()) > 0)
            children++;
        if (child == 0)
            for (;;)
                pause();
        printf("%d", children);
        return 0;
    }
    if (IS("burst")) /* 200 simultaneous short-lived children */
        for (int i = 0; i < 200; i++)
            if (!fork()) {
                rest(3);
                return 0;
            }
    if (IS("hang")) { /* with a child, until both are killed */
        if (fork())
            puts("started");
        for (;;)
            pause();
    }
    rest(20); /* keeps the processes alive for a moment */
    return 0;
}
