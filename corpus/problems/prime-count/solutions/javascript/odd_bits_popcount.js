// One bit per odd number in 32-bit words with a running count per word.
const input = require("fs").readFileSync(0);
const HALF = 1000000;
const WORDS = (HALF >> 5) + 1;
const bits = new Int32Array(WORDS).fill(-1);
const rank = new Int32Array(WORDS + 1);

function popcount(v) {
  v -= (v >>> 1) & 0x55555555;
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

bits[0] &= ~1;
for (let i = 1; 2 * i * (i + 1) < HALF; i++) {
  if (((bits[i >> 5] >> (i & 31)) & 1) === 0) continue;
  for (let j = 2 * i * (i + 1), p = 2 * i + 1; j < HALF; j += p) bits[j >> 5] &= ~(1 << (j & 31));
}
for (let w = 0; w < WORDS; w++) rank[w + 1] = rank[w] + popcount(bits[w]);

function pi(x) {
  if (x < 2) return 0;
  const e = (x + 1) >> 1;
  const part = bits[e >> 5] & ((1 << (e & 31)) - 1);
  return 1 + rank[e >> 5] + popcount(part);
}

let at = 0;
function next() {
  while (input[at] < 48) at++;
  let v = 0;
  while (at < input.length && input[at] >= 48) v = v * 10 + input[at++] - 48;
  return v;
}

let text = "";
for (let q = next(); q > 0; q--) {
  const l = next();
  const r = next();
  text += pi(r) - pi(l - 1) + "\n";
}
process.stdout.write(text);
