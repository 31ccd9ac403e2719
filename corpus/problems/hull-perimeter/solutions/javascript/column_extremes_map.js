// A Map from x to the lowest and highest y, then chains over the sorted columns.
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

const columns = new Map();
for (const { x, y } of points) {
  const c = columns.get(x);
  if (c === undefined) columns.set(x, [y, y]);
  else columns.set(x, [Math.min(c[0], y), Math.max(c[1], y)]);
}
const xs = Array.from(columns.keys()).sort((a, b) => a - b);
const bottom = chain(xs.map((x) => ({ x, y: columns.get(x)[0] })));
const top = chain(xs.reverse().map((x) => ({ x, y: columns.get(x)[1] })));
console.log(length([...bottom, ...top, bottom[0]]).toFixed(9));
