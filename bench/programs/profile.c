/* Follows a memory profile and logs it: profile SHAPE BYTES MILLISECONDS [sleeping]. The log on stdout is the ground
 * truth: first the resident set before touching any memory, then lines "NANOSECONDS BYTES" with the touched memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (64 * 1024)
#define MAX_LOG 200000

static struct { long long at; long long bytes; } entries[MAX_LOG];
static int count;
static long long touched;
static int sleeping; /* so that several programs can follow their profiles on one core */

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void note(void)
{
    if (count < MAX_LOG) {
        entries[count].at = now();
        entries[count++].bytes = touched;
    }
}

static void wait_until(long long when)
{
    struct timespec then = { when / 1000000000LL, when % 1000000000LL };
    if (sleeping)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
    while (now() < when)
        ;
}

static char *fresh(long long bytes)
{
    char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(block, bytes, MADV_NOHUGEPAGE);
    return block;
}

/* Touches the block chunk by chunk, spread over `duration` nanoseconds (0: as fast as possible). */
static char *grow(long long bytes, long long duration)
{
    char *block = fresh(bytes);
    long long start = now();
    for (long long at = 0; at < bytes; at += CHUNK) {
        for (long long page = at; page < at + CHUNK && page < bytes; page += 4096)
            block[page] = 1;
        touched += at + CHUNK <= bytes ? CHUNK : bytes - at;
        note();
        wait_until(start + (long long)((double)duration * (at + CHUNK) / bytes));
    }
    return block;
}

/* Unmaps chunk by chunk, too: during a single munmap of the whole block, the remaining size would be unknown. */
static void release(char *block, long long bytes)
{
    note();
    for (long long at = 0; at < bytes; at += CHUNK) {
        long long size = at + CHUNK <= bytes ? CHUNK : bytes - at;
        munmap(block + at, size);
        touched -= size;
        note();
    }
}

static long long resident(void)
{
    char text[64] = { 0 };
    long size, pages;
    int fd = open("/proc/self/statm", O_RDONLY);
    if (read(fd, text, sizeof text - 1) < 0 || sscanf(text, "%ld %ld", &size, &pages) != 2)
        exit(2);
    close(fd);
    return pages * 4096LL;
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        return 2;
    sleeping = argc == 5;
    long long bytes = atoll(argv[2]), length = atoll(argv[3]) * 1000000LL, start, base;
    base = resident();
    start = now();
    note();
    if (!strcmp(argv[1], "step")) {
        char *block = grow(bytes, 0);
        wait_until(start + length);
        release(block, bytes);
    } else if (!strcmp(argv[1], "ramp")) {
        release(grow(bytes, length), bytes);
    } else if (!strcmp(argv[1], "sawtooth")) {
        for (int tooth = 0; tooth < 5; tooth++)
            release(grow(bytes, length / 5), bytes);
    } else { /* spikes of 5 ms every 20 ms */
        for (long long at = start; at < start + length; at += 20000000LL) {
            char *block = grow(bytes, 0);
            wait_until(at + 5000000LL);
            release(block, bytes);
            wait_until(at + 20000000LL);
        }
    }
    note();
    printf("%lld\n", base);
    for (int i = 0; i < count; i++)
        printf("%lld %lld\n", entries[i].at - start, entries[i].bytes);
    return 0;
}
