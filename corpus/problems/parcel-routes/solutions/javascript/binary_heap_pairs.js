// Dijkstra with a hand-made binary heap of [distance, node] pairs; outdated entries are skipped.
class MinHeap {
  constructor() {
    this.items = [];
  }
  get size() {
    return this.items.length;
  }
  push(item) {
    const a = this.items;
    a.push(item);
    let i = a.length - 1;
    while (i > 0) {
      const p = (i - 1) >> 1;
      if (a[p][0] <= a[i][0]) break;
      [a[p], a[i]] = [a[i], a[p]];
      i = p;
    }
  }
  pop() {
    const a = this.items;
    const top = a[0];
    const tail = a.pop();
    if (a.length > 0) {
      a[0] = tail;
      let i = 0;
      for (;;) {
        let c = 2 * i + 1;
        if (c >= a.length) break;
        if (c + 1 < a.length && a[c + 1][0] < a[c][0]) c++;
        if (a[i][0] <= a[c][0]) break;
        [a[c], a[i]] = [a[i], a[c]];
        i = c;
      }
    }
    return top;
  }
}

const lines = require("fs").readFileSync(0, "utf8").split("\n");
const [n, m] = lines[0].split(" ").map(Number);
const roads = Array.from({ length: n + 1 }, () => []);
for (let i = 1; i <= m; i++) {
  const [a, b, w] = lines[i].split(" ").map(Number);
  roads[a].push([b, w]);
}
const dist = new Array(n + 1).fill(-1);
const heap = new MinHeap();
heap.push([0, 1]);
while (heap.size > 0) {
  const [d, v] = heap.pop();
  if (dist[v] >= 0) continue;
  dist[v] = d;
  for (const [u, w] of roads[v]) {
    if (dist[u] < 0) heap.push([d + w, u]);
  }
}
console.log(dist.slice(1).join(" "));
