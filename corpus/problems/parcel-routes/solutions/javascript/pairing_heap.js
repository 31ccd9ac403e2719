// Dijkstra with a pairing heap of node objects; a smaller distance is inserted as a new object.
function meld(a, b) {
  if (a === null) return b;
  if (b === null) return a;
  if (b.dist < a.dist) [a, b] = [b, a];
  b.sibling = a.child;
  a.child = b;
  return a;
}

function withoutRoot(root) {
  let pairs = null;
  let rest = root.child;
  while (rest !== null) {
    const a = rest;
    const b = a.sibling;
    rest = b === null ? null : b.sibling;
    a.sibling = null;
    if (b !== null) b.sibling = null;
    const both = meld(a, b);
    both.sibling = pairs;
    pairs = both;
  }
  let result = null;
  while (pairs !== null) {
    const next = pairs.sibling;
    pairs.sibling = null;
    result = meld(result, pairs);
    pairs = next;
  }
  return result;
}

const lines = require("fs").readFileSync(0, "latin1").split("\n");
const space = lines[0].indexOf(" ");
const n = +lines[0].slice(0, space);
const m = +lines[0].slice(space + 1);
const targets = [];
const lengths = [];
for (let v = 0; v <= n; v++) {
  targets.push([]);
  lengths.push([]);
}
for (let i = 1; i <= m; i++) {
  const parts = lines[i].split(" ");
  targets[+parts[0]].push(+parts[1]);
  lengths[+parts[0]].push(+parts[2]);
}
const dist = new Array(n + 1).fill(Infinity);
dist[1] = 0;
let heap = { dist: 0, node: 1, child: null, sibling: null };
while (heap !== null) {
  const d = heap.dist;
  const v = heap.node;
  heap = withoutRoot(heap);
  if (d > dist[v]) continue;
  const to = targets[v];
  const length = lengths[v];
  for (let k = 0; k < to.length; k++) {
    const t = d + length[k];
    if (t < dist[to[k]]) {
      dist[to[k]] = t;
      heap = meld(heap, { dist: t, node: to[k], child: null, sibling: null });
    }
  }
}
const words = [];
for (let v = 1; v <= n; v++) words.push(dist[v] === Infinity ? "-1" : String(dist[v]));
console.log(words.join(" "));
