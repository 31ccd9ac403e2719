/* sleeper INTERVAL DURATION (ns): sleeps as often as a sampler and does nothing else, to measure the cost of waking up. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long long interval = atoll(argv[1]), due = now(), end = due + atoll(argv[2]);
    prctl(PR_SET_TIMERSLACK, 1);
    while (due < end) {
        due += interval;
        long long left = due - now();
        struct timespec t = { 0, left > 0 ? left : 0 };
        ppoll(NULL, 0, &t, NULL);
    }
    return 0;
}
