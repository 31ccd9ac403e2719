// Graham scan around the lowest point with exact angular comparison.
const points = [];
for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n").slice(1)) {
  const [x, y] = line.split(" ");
  points.push({ x: parseInt(x, 10), y: parseInt(y, 10) });
}

function cross(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

let pivot = points[0];
for (const p of points) if (p.y < pivot.y || (p.y === pivot.y && p.x < pivot.x)) pivot = p;
const rest = points.filter((p) => p.x !== pivot.x || p.y !== pivot.y);
rest.sort((a, b) => cross(pivot, b, a) || distance(pivot, a) - distance(pivot, b));
const hull = [pivot];
for (const p of rest) {
  while (hull.length > 1 && cross(hull[hull.length - 2], hull[hull.length - 1], p) <= 0) hull.pop();
  hull.push(p);
}
console.log(hull.reduce((sum, p, i) => sum + distance(p, hull[(i + 1) % hull.length]), 0).toFixed(9));
