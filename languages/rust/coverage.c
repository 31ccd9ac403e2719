// Counts the edges between basic blocks of a program, and reports them on standard error at its end.
//
// The compiler calls __sanitizer_cov_trace_pc in every block. Addresses are offsets from the start of the executable,
// so they do not depend on where it was loaded. The report is one line of text, see builders/quality/coverage.py.
// This file must not be instrumented, or it would call itself.

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define EDGES 65536

extern char __executable_start;

static uint32_t counts[EDGES];
static uint32_t before;

void __sanitizer_cov_trace_pc(void) {
    uintptr_t place = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__executable_start;
    uint32_t here = ((uint32_t)place * 0x9E3779B1u) >> 16;  // Fibonacci hashing
    counts[here ^ before]++;
    before = here >> 1;  // shifted: else a block that follows itself would be edge 0, and a to b the same as b to a
}

__attribute__((destructor)) static void report(void) {
    static char text[16 * EDGES + 32];
    int size = sprintf(text, "\nvenus-coverage");
    for (uint32_t edge = 0; edge < EDGES; edge++)
        if (counts[edge]) size += sprintf(text + size, " %u:%u", edge, counts[edge]);
    size += sprintf(text + size, "\n");
    for (int done = 0, wrote; done < size; done += wrote)
        if ((wrote = write(2, text + done, size - done)) <= 0) return;
}
