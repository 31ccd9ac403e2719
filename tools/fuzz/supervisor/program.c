/* The program that the supervisor runs while it is fuzzed: each of the first bytes of its input is an action. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void stay(void)
{
    for (;;)
        pause();
}

static void put(int fd, size_t size)
{
    char text[4096];
    memset(text, 'x', sizeof text);
    for (ssize_t n; size && (n = write(fd, text, size < sizeof text ? size : sizeof text)) > 0;)
        size -= n;
}

static void act(char action)
{
    switch (action) {
    case 'o': put(1, 10); break;
    case 'O': put(1, 200 * 1024); break;
    case 'e': put(2, 10); break;
    case 'E': put(2, 200 * 1024); break;
    case 'f': if (!fork()) stay(); break;
    case 'g': if (!fork()) _exit(1); break;
    case 'w': if (!fork()) _exit(1); else wait(NULL); break;
    case 'd': if (!fork()) { if (!fork()) { setsid(); stay(); } _exit(0); } break;
    case 'i': signal(SIGCHLD, SIG_IGN); break;
    case 'm': memset(malloc(4 << 20), 1, 4 << 20); break;
    case 'b': for (volatile long n = 0; n < 1000000; n++) { } break;
    case 'k': kill(getpid(), SIGKILL); break;
    case 's': abort(); break;
    case 'c': close(0); close(1); close(2); break;
    case 'p': stay(); break;
    case 'u': usleep(2000); break;
    case 'x': _exit(7); break;
    }
}

int main(void)
{
    char input[8];
    ssize_t size = read(0, input, sizeof input);
    for (ssize_t i = 0; i < size; i++)
        act(input[i]);
    return 0;
}
