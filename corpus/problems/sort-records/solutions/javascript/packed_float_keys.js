// Score and index packed into one exact double, sorted as a Float64Array, bytes in and bytes out.
const text = require("fs").readFileSync(0);
let p = 0;
let n = 0;
while (text[p] > 32) n = n * 10 + text[p++] - 48;
const start = new Int32Array(n);
const end = new Int32Array(n);
const keys = new Float64Array(n);
for (let i = 0; i < n; i++) {
  while (text[p] <= 32) p++;
  start[i] = p;
  while (text[p] > 32) p++;
  end[i] = p++;
  const negative = text[p] === 45;
  if (negative) p++;
  let value = 0;
  while (text[p] > 32) value = value * 10 + text[p++] - 48;
  keys[i] = (1000000000 + (negative ? value : -value)) * 65536 + i;
}
keys.sort();
const out = Buffer.allocUnsafe(n * 32);
let q = 0;
function put(value) {
  if (value < 0) {
    out[q++] = 45;
    value = -value;
  }
  let size = 1;
  for (let t = 10; t <= value; t *= 10) size++;
  for (let k = q + size - 1; k >= q; k--) {
    const rest = Math.floor(value / 10);
    out[k] = 48 + value - rest * 10;
    value = rest;
  }
  q += size;
}
for (let k = 0; k < n; k++) {
  const high = Math.floor(keys[k] / 65536);
  const i = keys[k] - high * 65536;
  put(k + 1);
  out[q++] = 32;
  for (let c = start[i]; c < end[i]; c++) out[q++] = text[c];
  out[q++] = 32;
  put(1000000000 - high);
  out[q++] = 10;
}
require("fs").writeFileSync(1, out.subarray(0, q));
