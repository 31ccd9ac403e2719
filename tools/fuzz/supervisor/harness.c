/*
 * The supervisor as a target for a fuzzer and for the test that replays the seeds.
 *
 * Standard input is one case: the words of the command line, each followed by a newline, an empty line, then the
 * requests. The harness includes the supervisor's current source and replaces the calls with effects outside the case:
 * opening files for writing, removing files, namespaces, mounts, and execve. Every program that the supervisor starts is
 * program.c, which obeys its input. The requests arrive in pieces of odd sizes.
 *
 * A case fails if a sanitizer reports an error, if the supervisor exits with a status other than 0 and 3, or if its
 * answers are not complete records, one for each run.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_CASE 60000 /* bytes; a pipe holds some more */
#define MAX_WORDS_HERE 64
#define WALL_NS "30000000"

/* No leak detection: it needs ptrace, which the supervisor forbids, and the supervisor frees its memory by exiting. */
const char *__asan_default_options(void) { return "detect_leaks=0:abort_on_error=1"; }
const char *__ubsan_default_options(void) { return "halt_on_error=1:abort_on_error=1:print_stacktrace=1"; }

static pid_t own_pid;
static volatile int *executed; /* programs started, counted by the children: a sanitizer may stop one before its execve */
static uint32_t pieces = 1;

__attribute__((noreturn)) static void fail_case(const char *problem)
{
    fprintf(stderr, "harness: %s\n", problem);
    abort();
}

static long long field(const char *record, const char *name)
{
    const char *position = strstr(record, name);
    return position ? atoll(position + strlen(name)) : -1;
}

/* Check that the answers are complete records; only the last may be incomplete, if the supervisor stopped early. */
static void check_answers(bool ended)
{
    off_t size = lseek(1, 0, SEEK_END);
    char *text = size > 0 ? malloc(size + 1) : NULL;
    if (!text || pread(1, text, size, 0) != size)
        return;
    text[size] = 0;
    char *at = text, *end = text + size;
    int records = 0;
    if (!strncmp(at, "ready\n", 6))
        at += 6;
    while (at < end) {
        char *line_end = memchr(at, '\n', end - at);
        if (!line_end && !ended)
            break;
        if (!line_end || strncmp(at, "{\"exit_code\":", 13) || strncmp(line_end - 2, "]}", 2))
            fail_case("an answer is not a record");
        if (++records > *executed)
            fail_case("a run without a program");
        *line_end = 0;
        long long out = field(at, "\"stdout_bytes\":"), err = field(at, "\"stderr_bytes\":");
        if (out < 0 || err < 0 || (ended && out + err > end - line_end - 1))
            fail_case("an answer does not have the output that it announces");
        at = out + err > end - line_end - 1 ? end : line_end + 1 + out + err;
    }
    free(text);
}

__attribute__((noreturn)) static void harness_exit(int status)
{
    if (getpid() == own_pid) {
        if (status != 0 && status != 3)
            fail_case("an undefined exit status");
        if (status == 0)
            check_answers(false);
    }
    _exit(status);
}

/* In a child, start the program; in the supervisor itself, read every word and fail. */
static int harness_exec(char *const *argv, char *const *environment)
{
    if (getpid() != own_pid) {
        char *const program[] = { PROGRAM, NULL };
        ++*executed;
        return execve(PROGRAM, program, environ);
    }
    size_t bytes = 0;
    for (; argv && *argv; argv++)
        bytes += strlen(*argv);
    for (; environment && *environment; environment++)
        bytes += strlen(*environment);
    errno = bytes ? ENOENT : ENOEXEC;
    return -1;
}

static int harness_open(const char *path, int flags, ...)
{
    if ((flags & O_ACCMODE) == O_RDONLY || !strncmp(path, "/proc/self/fd/", 14)) /* memory files may be written to */
        return open(path, flags & ~O_CREAT);
    errno = EACCES;
    return -1;
}

static ssize_t harness_read(int fd, void *data, size_t size)
{
    pieces = pieces * 1103515245 + 12345;
    size_t limit = pieces >> 16 & 3 ? size : 1 + (pieces >> 18) % 7;
    return read(fd, data, fd == 0 && size > limit ? limit : size);
}

static int refused(void)
{
    errno = EPERM;
    return -1;
}

#define main supervisor_main
#define _exit(status) harness_exit(status)
#define execve(path, argv, environment) harness_exec(argv, environment)
#define execvpe(path, argv, environment) harness_exec(argv, environment)
#define execvp(path, argv) harness_exec(argv, NULL)
#define open(...) harness_open(__VA_ARGS__)
#define read(...) harness_read(__VA_ARGS__)
#define unlinkat(...) 0
#define mount(...) refused()
#define unshare(...) refused()
#include "../../../venus_toolkit/execution/native/supervisor.c"
#undef main
#undef _exit
#undef open
#undef read

/* Send the rest of a case through a pipe, as real requests are sent: it cannot be read twice by its descriptor. */
static void send_requests(const char *data, size_t size)
{
    int ends[2];
    if (pipe(ends) || dup2(ends[0], 0) < 0 || (size && write(ends[1], data, size) < 0))
        fail_case("no pipe for the requests");
    close(ends[0]);
    close(ends[1]);
}

/* Split the command line from the case. Its words are writable, like those of a real command line. */
static char **command_line(void)
{
    static char text[MAX_CASE + 1], ours[4][16] = { "--wall-ns", WALL_NS, "--", "program" };
    static char *words[MAX_WORDS_HERE + 6] = { text + MAX_CASE };
    int count = 1;
    ssize_t size = 0, more;
    while ((more = read(0, text + size, MAX_CASE - size)) > 0)
        size += more;
    char *at = text, *line_end;
    while ((line_end = memchr(at, '\n', text + size - at)) && line_end > at && count < MAX_WORDS_HERE) {
        for (char *byte = at; byte < line_end; byte++)
            pieces = pieces * 31 + (unsigned char)*byte;
        *line_end = 0;
        /* Only the harness ends the options, after its own --wall-ns: the last one counts, so no case takes long. */
        if (strcmp(at, "--") || (count > 1 && !strcmp(words[1], "join")))
            words[count++] = at;
        at = line_end + 1;
    }
    at += at < text + size && *at == '\n';
    send_requests(at, text + size - at);
    if (count > 1 && (!strcmp(words[1], "join") || !strcmp(words[1], "--version")))
        return words;
    for (int i = 0; i < 4; i++)
        words[count++] = ours[i];
    return words;
}

int main(void)
{
    own_pid = getpid();
    executed = mmap(NULL, sizeof *executed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (executed == MAP_FAILED)
        fail_case("no shared memory");
    int answers_file = memfd_create("answers", 0);
    if (answers_file < 0 || dup2(answers_file, 1) < 0)
        fail_case("no memory file for the answers");
    char **words = command_line();
    int count = 0;
    while (words[count])
        count++;
    bool version = count == 2 && !strcmp(words[1], "--version");
    int status = supervisor_main(count, words);
    if (status != 0)
        fail_case("an undefined exit status");
    check_answers(!version);
    return 0;
}
