// Runs the number of steps on standard input, each with arithmetic, a table and a map.
const steps = Number(require("fs").readFileSync(0, "utf8"));
const cells = new Uint32Array(4096);
const counts = new Map();
let x = 12345, h = 0;
for (let i = 0; i < steps; i++) {
  x = (Math.imul(x, 1103515245) + 12345) >>> 0;
  const at = (x >>> 9) & 4095;
  cells[at] = Math.imul(cells[at], 3) + (x >>> 5) + i;
  const key = cells[at] % 503;
  counts.set(key, (counts.get(key) || 0) + 1);
  h = (Math.imul(h, 31) + cells[at]) >>> 0;
}
console.log(h, counts.size);
