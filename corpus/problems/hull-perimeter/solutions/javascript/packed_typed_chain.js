// Monotone chain on a Float64Array of packed coordinates with index stacks.
const text = require("fs").readFileSync(0);
let at = 0;
function next() {
  while (text[at] <= 32) at++;
  const sign = text[at] === 45 ? -1 : 1;
  if (sign < 0) at++;
  let value = 0;
  while (text[at] >= 48) value = value * 10 + text[at++] - 48;
  return sign * value;
}
const n = next();

const WIDTH = 2097152;
const packed = new Float64Array(n);
for (let i = 0; i < n; i++) {
  const x = next();
  packed[i] = (x + 1000000) * WIDTH + next() + 1000000;
}
packed.sort();
const xs = new Float64Array(n);
const ys = new Float64Array(n);
for (let i = 0; i < n; i++) {
  xs[i] = Math.floor(packed[i] / WIDTH);
  ys[i] = packed[i] - xs[i] * WIDTH;
}
const stack = new Int32Array(n);
let total = 0;
for (const sign of [1, -1]) {
  let k = 0;
  for (let i = 0; i < n; i++) {
    while (k > 1) {
      const a = stack[k - 2];
      const b = stack[k - 1];
      if (sign * ((xs[b] - xs[a]) * (ys[i] - ys[a]) - (ys[b] - ys[a]) * (xs[i] - xs[a])) > 0) break;
      k--;
    }
    stack[k++] = i;
  }
  for (let i = 1; i < k; i++) {
    const dx = xs[stack[i]] - xs[stack[i - 1]];
    const dy = ys[stack[i]] - ys[stack[i - 1]];
    total += Math.sqrt(dx * dx + dy * dy);
  }
}
console.log(total.toFixed(7));
