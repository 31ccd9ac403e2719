// Falling sequence in Int32Array, digits parsed from the raw buffer.
const data = require("fs").readFileSync(0);
let at = 0;
function next() {
  while (data[at] <= 32) at++;
  const neg = data[at] === 45;
  if (neg) at++;
  let x = 0;
  while (at < data.length && data[at] > 32) x = x * 10 + data[at++] - 48;
  return neg ? -x : x;
}
const n = next();
const k = next();
const vals = new Int32Array(n);
const pos = new Int32Array(n);
const res = new Int32Array(n - k + 1);
let head = 0;
let tail = 0;
for (let i = 0; i < n; i++) {
  const x = next();
  while (tail > head && vals[tail - 1] <= x) tail--;
  vals[tail] = x;
  pos[tail++] = i;
  if (pos[head] <= i - k) head++;
  if (i >= k - 1) res[i - k + 1] = vals[head];
}
console.log(res.join(" "));
