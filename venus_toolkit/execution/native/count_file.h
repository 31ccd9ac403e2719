/*
 * The file in which venus-counter (inside the emulator) leaves its counts and venus-supervisor finds them.
 *
 * SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * A memory file that the emulator inherits as COUNT_FD: a header in the first part, then a part for each process, which
 * has a cell for each of its threads. What was never touched takes no memory.
 */
#include <stdint.h>

#define COUNT_FD 3
#define FORK_FD 4    /* of a fork server: its socket */
#define FORK_FILES 4 /* of a run: standard input, output and error, and the counts */
#define COUNT_MAGIC 0x31746e756f63564eULL
#define COUNT_PART 65536 /* bytes: a multiple of every page size */
#define COUNT_PROCESSES 4096
#define COUNT_BYTES ((1LL + COUNT_PROCESSES) * COUNT_PART)

struct count_header {
    uint64_t magic;     /* written when counting begins */
    uint32_t processes; /* parts that were given out; more than COUNT_PROCESSES: some found none */
    uint32_t executed;  /* how often execve was asked for, and refused */
    uint32_t unclosed;  /* processes that have counts which are not in the file yet */
    uint32_t crowded;   /* threads that found no cell */
};

/* A cache line, so that threads do not slow each other down. */
struct count_cell {
    uint64_t instructions;
    uint64_t unused[7];
};

#define COUNT_CELLS (COUNT_PART / sizeof(struct count_cell))
