// LSD radix sort with three passes of eleven bits on typed arrays.
const lines = require("fs").readFileSync(0, "latin1").trimEnd().split("\n");
const n = lines.length - 1;
const keys = new Uint32Array(n);
let order = new Uint32Array(n);
let other = new Uint32Array(n);
for (let i = 0; i < n; i++) {
  const line = lines[i + 1];
  keys[i] = 1000000000 - line.substring(line.indexOf(" ") + 1);
  order[i] = i;
}
for (let shift = 0; shift < 32; shift += 11) {
  const start = new Uint32Array(2049);
  for (let i = 0; i < n; i++) start[((keys[i] >>> shift) & 2047) + 1]++;
  for (let d = 0; d < 2048; d++) start[d + 1] += start[d];
  for (let k = 0; k < n; k++) {
    const i = order[k];
    other[start[(keys[i] >>> shift) & 2047]++] = i;
  }
  [order, other] = [other, order];
}
const out = new Array(n);
for (let k = 0; k < n; k++) out[k] = k + 1 + " " + lines[order[k] + 1].trimEnd();
process.stdout.write(out.join("\n") + "\n");
