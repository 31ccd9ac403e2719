// Monotone chain; the lengths of the sides of the polygon are added up.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);
const points = [];
for (let i = 0; i < data[0]; i++) points.push({ x: data[2 * i + 1], y: data[2 * i + 2] });

function cross(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function chain(points) {
  const hull = [];
  for (const p of points) {
    while (hull.length > 1 && cross(hull[hull.length - 2], hull[hull.length - 1], p) <= 0) hull.pop();
    hull.push(p);
  }
  return hull;
}

function length(hull) {
  let total = 0;
  for (let i = 1; i < hull.length; i++) total += distance(hull[i - 1], hull[i]);
  return total;
}

points.sort((a, b) => a.x - b.x || a.y - b.y);
const lower = chain(points);
const upper = chain(points.reverse());
lower.pop();
upper.pop();
console.log(length(lower.concat(upper)).toFixed(9));
