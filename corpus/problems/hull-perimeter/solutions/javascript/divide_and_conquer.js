// Divide and conquer on the sorted points: join the chains of the two halves.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const points = [];
for (let i = 0; i < data[0]; i++) points.push({ x: data[2 * i + 1], y: data[2 * i + 2] });

function cross(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

points.sort((a, b) => (a.x === b.x ? a.y - b.y : a.x - b.x));

function join(chain, tail, sign) {
  const result = chain.slice();
  for (const p of tail) {
    while (result.length > 1 && sign * cross(result[result.length - 2], result[result.length - 1], p) <= 0) result.pop();
    result.push(p);
  }
  return result;
}

function solve(lo, hi) {
  if (hi - lo === 1) return [[points[lo]], [points[lo]]];
  const mid = (lo + hi) >> 1;
  const left = solve(lo, mid);
  const right = solve(mid, hi);
  return [join(left[0], right[0], 1), join(left[1], right[1], -1)];
}

let sum = 0;
for (const half of solve(0, points.length)) {
  for (let i = 1; i < half.length; i++) sum += distance(half[i - 1], half[i]);
}
console.log(sum.toFixed(9));
