/* One of a family of programs whose work differs by a known factor: WORK rounds of arithmetic, table walks and hashing. */
#include <stdint.h>
#include <stdio.h>

static uint32_t cells[1 << 16];

int main(void)
{
    uint32_t x = 12345, h = 0;
    for (long i = 0; i < WORK; i++) {
        x = x * 1103515245u + 12345u;
        uint32_t *cell = &cells[(x >> 9) & 0xffff];
        *cell = *cell * 3 + (x >> 5) + (uint32_t)i;
        if (*cell & 64)
            h = (h ^ *cell) * 16777619u;
    }
    printf("%u\n", h);
    return 0;
}
