// Sorted end points; one 64 KiB window of the sieve at a time.
const lines = require("fs").readFileSync(0, "utf8").trimEnd().split("\n");
const q = parseInt(lines[0], 10);
const ends = new Float64Array(2 * q);
for (let i = 0; i < q; i++) {
  const [l, r] = lines[i + 1].split(" ");
  ends[2 * i] = (Number(l) - 1) * 65536 + 2 * i;
  ends[2 * i + 1] = Number(r) * 65536 + 2 * i + 1;
}
ends.sort();
const base = [];
for (let p = 2; p < 1415; p++) {
  if (base.every((b) => p % b.p !== 0)) base.push({ p, next: p * p });
}
const SIZE = 65536;
const seg = new Uint8Array(SIZE);
const pi = new Int32Array(2 * q);
let total = 0;
let e = 0;
for (let low = 0; e < 2 * q; low += SIZE) {
  seg.fill(1);
  if (low === 0) seg[0] = seg[1] = 0;
  for (const b of base) {
    let m = b.next - low;
    for (; m < SIZE; m += b.p) seg[m] = 0;
    b.next = m + low;
  }
  let v = 0;
  while (e < 2 * q) {
    const x = Math.floor(ends[e] / 65536) - low;
    if (x >= SIZE) break;
    while (v <= x) total += seg[v++];
    pi[ends[e] % 65536] = total;
    e++;
  }
  while (v < SIZE) total += seg[v++];
}
const out = new Array(q);
for (let i = 0; i < q; i++) out[i] = pi[2 * i + 1] - pi[2 * i];
console.log(out.join("\n"));
