// Tests for every ordered pair of points whether all others lie on one side.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const points = [];
for (let i = 0; i < data[0]; i++) points.push({ x: data[2 * i + 1], y: data[2 * i + 2] });

function cross(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

const distinct = [...new Map(points.map((p) => [p.x * 4000003 + p.y, p])).values()];
let total = 0;
for (const a of distinct) {
  for (const b of distinct) {
    let edge = a !== b;
    for (let k = 0; edge && k < distinct.length; k++) {
      const c = distinct[k];
      const turn = cross(a, b, c);
      if (turn < 0) edge = false;
      else if (turn === 0) edge = (c.x - a.x) * (c.x - b.x) + (c.y - a.y) * (c.y - b.y) <= 0;
    }
    if (edge) total += distance(a, b);
  }
}
console.log(total.toFixed(9));
