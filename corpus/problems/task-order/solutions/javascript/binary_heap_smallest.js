// Smallest free task first with a hand-written binary heap.
const lines = require("fs").readFileSync(0, "utf8").split("\n");

class MinHeap {
  constructor() {
    this.a = [];
  }
  push(x) {
    const a = this.a;
    let i = a.push(x) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (a[up] <= x) break;
      a[i] = a[up];
      i = up;
    }
    a[i] = x;
  }
  pop() {
    const a = this.a;
    const best = a[0];
    const x = a.pop();
    const size = a.length;
    if (size > 0) {
      let i = 0;
      for (;;) {
        let c = 2 * i + 1;
        if (c >= size) break;
        if (c + 1 < size && a[c + 1] < a[c]) c++;
        if (a[c] >= x) break;
        a[i] = a[c];
        i = c;
      }
      a[i] = x;
    }
    return best;
  }
  get size() {
    return this.a.length;
  }
}

const [n, m] = lines[0].split(" ").map(Number);
const after = new Map();
const need = new Uint32Array(n + 1);
for (let i = 1; i <= m; i++) {
  const [a, b] = lines[i].split(" ").map(Number);
  if (!after.has(a)) after.set(a, []);
  after.get(a).push(b);
  need[b]++;
}
const heap = new MinHeap();
for (let v = 1; v <= n; v++) if (need[v] === 0) heap.push(v);
const order = [];
while (heap.size > 0) {
  const v = heap.pop();
  order.push(v);
  for (const w of after.get(v) || []) if (--need[w] === 0) heap.push(w);
}
console.log(order.length < n ? "IMPOSSIBLE" : order.join(" "));
