// The JavaScript reference program: a fixed amount of contest-like work, run right beside every
// measurement as the unit of relative time. It reads nothing and prints one checksum line.
// Changing it changes every relative time.
const CELLS = 1 << 18;  // 32-bit cells: 1 MiB
const ROUNDS = 2;
const STEPS = 30000;
const COUNTS = 20000;
const KEYS = 5003;
const SORTED = 10000;
const MASK = 0x7fffffff;

function main() {
    const cells = new Int32Array(CELLS);
    const counts = new Map();
    let x = 12345, h = 0;
    for (let round = 0; round < ROUNDS; round++) {
        for (let i = 0; i < STEPS; i++) {
            x = (Math.imul(x, 1103515245) + 12345) & MASK;
            const j = (x >> 9) & (CELLS - 1);
            cells[j] = (cells[j] * 3 + (x >> 5) + i) & MASK;
        }
        for (let i = 0; i < COUNTS; i++) {
            const key = cells[i] % KEYS;
            counts.set(key, (counts.get(key) || 0) + 1);
            h = (h * 31 + counts.get(key)) & MASK;
        }
        const part = Array.from(cells.subarray(0, SORTED)).sort((a, b) => a - b);
        for (const value of part) h = (h * 31 + value) & MASK;
    }
    console.log(h);
}

main();
