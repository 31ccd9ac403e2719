// Quickhull with filtered arrays of outside points.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const points = [];
for (let i = 0; i < data[0]; i++) points.push({ x: data[2 * i + 1], y: data[2 * i + 2] });

function cross(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function side(outside, a, b) {
  if (outside.length === 0) return distance(a, b);
  let far = a;
  let best = 0;
  for (const p of outside) {
    const c = cross(a, b, p);
    if (c > best) {
      best = c;
      far = p;
    }
  }
  return (
    side(outside.filter((p) => cross(a, far, p) > 0), a, far) +
    side(outside.filter((p) => cross(far, b, p) > 0), far, b)
  );
}

let west = points[0];
let east = points[0];
for (const p of points) {
  if (p.x < west.x || (p.x === west.x && p.y < west.y)) west = p;
  if (p.x > east.x || (p.x === east.x && p.y > east.y)) east = p;
}
const above = side(points.filter((p) => cross(west, east, p) > 0), west, east);
const below = side(points.filter((p) => cross(east, west, p) > 0), east, west);
console.log((above + below).toFixed(9));
