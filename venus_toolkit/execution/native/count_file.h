/*
 * The file through which venus-counter (inside the emulator) passes its counts to venus-supervisor.
 *
 * SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * A memory file that the emulator inherits as COUNT_FD: a header in the first part, then a part for each process with a
 * cell for each of its threads. Untouched pages take no memory.
 */
#include <stdint.h>

#define COUNT_FD 3
#define FORK_FD 4    /* the socket of a fork server */
#define FORK_FILES 4 /* files of a run: standard input, output and error, and the counts */
#define COUNT_MAGIC 0x31746e756f63564eULL
#define COUNT_PART 65536 /* bytes: a multiple of every page size */
#define COUNT_PROCESSES 4096
#define COUNT_BYTES ((1LL + COUNT_PROCESSES) * COUNT_PART)

struct count_header {
    uint64_t magic;     /* written when counting begins */
    uint32_t processes; /* assigned parts; above COUNT_PROCESSES: some processes have none */
    uint32_t executed;  /* attempts of execve, all denied */
    uint32_t unclosed;  /* processes with counts that are not in the file yet */
    uint32_t crowded;   /* 1: a process or thread has no cell of its own */
};

/* A cache line, so that threads do not slow each other down. */
struct count_cell {
    uint64_t instructions;
    uint64_t unused[7];
};

#define COUNT_CELLS (COUNT_PART / sizeof(struct count_cell))
