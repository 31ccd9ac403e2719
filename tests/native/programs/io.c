/* Standard streams, environment and arguments. */
#include "common.h"

extern char **environ;

/* Writes COUNT bytes with all values, including NUL and invalid UTF-8. */
static void pattern(int fd, long count, int step)
{
    char block[4096];
    for (long at = 0; at < count;) {
        long size = 0;
        for (; size < (long)sizeof block && at < count; at++)
            block[size++] = at * step + at / 256;
        for (long done = 0; done < size;) {
            ssize_t n = write(fd, block + done, size - done);
            if (n < 0)
                exit(7);
            done += n;
        }
    }
}

static void cat(void)
{
    char block[4096];
    ssize_t n;
    while ((n = read(0, block, sizeof block)) > 0)
        if (write(1, block, n) != n)
            exit(7);
}

int main(int argc, char **argv)
{
    if (IS("cat"))
        cat();
    if (IS("tail")) { /* the size of the input, from seeking to its end */
        struct stat s;
        printf("%ld %ld", (long)lseek(0, 0, SEEK_END), fstat(0, &s) ? -1 : (long)s.st_size);
    }
    if (IS("unread"))
        puts("did not look");
    if (IS("pattern")) { /* pattern STDOUT_BYTES STDERR_BYTES */
        pattern(1, ARGUMENT(2), 1);
        pattern(2, ARGUMENT(3), 7);
    }
    if (IS("flood")) /* flood DESCRIPTOR: writes for ever, even if write() fails */
        for (signal(SIGXFSZ, SIG_IGN);;) {
            char block[65536] = { 0 };
            if (write(ARGUMENT(2), block, sizeof block) < 0)
                rest(1);
        }
    if (IS("close")) {
        close(1);
        close(2);
        return write(1, "x", 1) != -1;
    }
    if (IS("environment"))
        for (char **entry = environ; *entry; entry++)
            puts(*entry);
    if (IS("arguments"))
        for (int i = 2; i < argc; i++)
            puts(argv[i]);
    if (IS("directory")) {
        char text[4096];
        puts(getcwd(text, sizeof text) ? text : "?");
    }
    if (IS("append")) { /* prints 1000 bytes, then sets a flag on the open file, which the next run inherits */
        pattern(1, 1000, 1);
        lseek(1, 0, SEEK_SET);
        fcntl(1, F_SETFL, O_APPEND);
    }
    return 0;
}
