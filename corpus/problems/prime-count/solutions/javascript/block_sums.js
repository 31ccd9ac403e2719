// Square root decomposition over a byte sieve: no prefix sums inside a block.
const nums = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const q = nums[0];
let top = 1;
for (let i = 1; i <= q; i++) top = Math.max(top, nums[2 * i]);
const W = 512;
const flag = new Uint8Array(top + W).fill(1, 2, top + 1);
for (let p = 2; p * p <= top; p++) {
  if (flag[p]) for (let m = p * p; m <= top; m += p) flag[m] = 0;
}
const before = [0];
for (let s = 0; s <= top; s += W) {
  let t = before[before.length - 1];
  for (let k = s; k < s + W && k <= top; k++) t += flag[k];
  before.push(t);
}
function pi(x) {
  const b = Math.floor(x / W);
  let t = before[b];
  for (let k = b * W; k <= x; k++) t += flag[k];
  return t;
}
let out = "";
for (let i = 1; i <= q; i++) out += `${pi(nums[2 * i]) - pi(nums[2 * i - 1] - 1)}\n`;
process.stdout.write(out);
